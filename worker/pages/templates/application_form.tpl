{{%AUTOESCAPE context="HTML"}}
<p class="meta"><a href="{{LIST}}">OAuth applications of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1>{{#NEW}}New application{{/NEW}}{{#OLD}}Edit <bdi>{{NAME}}</bdi>{{/OLD}}</h1>
{{#HAS_PROBLEMS}}<div class="problem" role="alert"><p>Nothing was saved yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li>{{PROBLEM}}</li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#OVERTAKEN}}<div class="problem" role="alert"><p>Somebody else changed this application while you were editing it. Nothing of yours was saved, and nothing is lost: what you entered is still in the form. Saved are now:</p>
<dl>
{{#SAVED}}<dt>{{FIELD}}</dt>
<dd><bdi>{{VALUE}}</bdi></dd>
{{/SAVED}}</dl>
<p>Saving now replaces that by what is in the form.</p></div>
{{/OVERTAKEN}}<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
{{#NEW}}<input type="hidden" name="number" value="{{NUMBER}}">
<input type="hidden" name="proof" value="{{PROOF}}">
{{/NEW}}<p><label for="name">Name</label>
<input id="name" name="name" value="{{NAME}}" required maxlength="{{MAX_NAME}}" autocomplete="off" dir="auto" aria-describedby="name-hint{{#NAME_WRONG}} name-problem{{/NAME_WRONG}}"{{#NAME_WRONG}} aria-invalid="true"{{/NAME_WRONG}}>
<span class="meta" id="name-hint">People see it when they are asked for access.</span>
{{#NAME_PROBLEM}}<span class="field-problem" id="name-problem">{{PROBLEM}}</span>{{/NAME_PROBLEM}}</p>
<p><label for="description">Description</label>
<textarea id="description" name="description" rows="4" maxlength="{{MAX_DESCRIPTION}}" dir="auto" aria-describedby="description-hint{{#DESCRIPTION_WRONG}} description-problem{{/DESCRIPTION_WRONG}}"{{#DESCRIPTION_WRONG}} aria-invalid="true"{{/DESCRIPTION_WRONG}}>{{DESCRIPTION:pre_escape}}</textarea>
<span class="meta" id="description-hint">What it does with the access, for the same people. May stay empty.</span>
{{#DESCRIPTION_PROBLEM}}<span class="field-problem" id="description-problem">{{PROBLEM}}</span>{{/DESCRIPTION_PROBLEM}}</p>
<p><label for="redirect_uri">Redirect URI</label>
<input id="redirect_uri" name="redirect_uri" class="code" value="{{REDIRECT_URI}}" required maxlength="{{MAX_URI}}" inputmode="url" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="https://app.example/callback" aria-describedby="uri-hint{{#URI_WRONG}} uri-problem{{/URI_WRONG}}"{{#URI_WRONG}} aria-invalid="true"{{/URI_WRONG}}>
<span class="meta" id="uri-hint">Where people are sent back to. Requests must name exactly this address.{{#OLD}} With another one, links and requests that name the present one stop working.{{/OLD}}</span>
{{#URI_PROBLEM}}<span class="field-problem" id="uri-problem">{{PROBLEM}}</span>{{/URI_PROBLEM}}</p>
<fieldset aria-describedby="scopes-hint{{#SCOPES_WRONG}} scopes-problem{{/SCOPES_WRONG}}"><legend>Permissions</legend>
{{#SCOPE}}<label class="choice"><input type="checkbox" name="scope" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> <span><strong>{{TITLE}}</strong> <code>{{VALUE}}</code><br>{{TEXT}}</span></label>
{{/SCOPE}}<span class="meta" id="scopes-hint">What it may ask people for.{{#OLD}} Who has connected it keeps what they allowed, and is asked again the next time.{{/OLD}}</span>
{{#SCOPES_PROBLEM}}<span class="field-problem" id="scopes-problem">{{PROBLEM}}</span>{{/SCOPES_PROBLEM}}</fieldset>
<p class="answers"><button class="primary">{{#NEW}}Register the application{{/NEW}}{{#OLD}}Save the changes{{/OLD}}</button>
<a class="button" href="{{BACK}}">Cancel</a></p>
</form>
