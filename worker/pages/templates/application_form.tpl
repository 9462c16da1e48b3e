{{%AUTOESCAPE context="HTML"}}
<p class="meta"><a href="{{LIST}}">OAuth applications of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1>{{#NEW}}New application{{/NEW}}{{#OLD}}Edit <bdi>{{NAME}}</bdi>{{/OLD}}</h1>
{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been saved yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#OVERTAKEN}}<div class="problem" role="alert"><p>Another user changed this application while you were editing it. Your changes are not saved yet, but they are still in the form. The saved settings are now:</p>
<dl>
{{#SAVED}}<dt>{{FIELD}}</dt>
<dd><bdi>{{VALUE}}</bdi></dd>
{{/SAVED}}</dl>
<p>If you save now, the form replaces these settings.</p></div>
{{/OVERTAKEN}}<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
{{#NEW}}<input type="hidden" name="number" value="{{NUMBER}}">
<input type="hidden" name="proof" value="{{PROOF}}">
{{/NEW}}<p><label for="name">Name</label>
<input id="name" name="name" value="{{NAME}}" required maxlength="{{MAX_NAME}}" autocomplete="off" dir="auto" aria-describedby="name-hint{{#NAME_WRONG}} name-problem{{/NAME_WRONG}}"{{#NAME_WRONG}} aria-invalid="true"{{/NAME_WRONG}}>
<span class="meta" id="name-hint">Users see it when they are asked for access.</span>
{{#NAME_PROBLEM}}<span class="field-problem" id="name-problem">{{PROBLEM}}</span>{{/NAME_PROBLEM}}</p>
<p><label for="description">Description</label>
<textarea id="description" name="description" rows="4" maxlength="{{MAX_DESCRIPTION}}" dir="auto" aria-describedby="description-hint{{#DESCRIPTION_WRONG}} description-problem{{/DESCRIPTION_WRONG}}"{{#DESCRIPTION_WRONG}} aria-invalid="true"{{/DESCRIPTION_WRONG}}>{{DESCRIPTION:pre_escape}}</textarea>
<span class="meta" id="description-hint">What the application does with the access. Users see it too. Optional.</span>
{{#DESCRIPTION_PROBLEM}}<span class="field-problem" id="description-problem">{{PROBLEM}}</span>{{/DESCRIPTION_PROBLEM}}</p>
<p><label for="redirect_uri">Redirect URI</label>
<input id="redirect_uri" name="redirect_uri" class="code" value="{{REDIRECT_URI}}" required maxlength="{{MAX_URI}}" inputmode="url" autocomplete="off" autocapitalize="none" spellcheck="false" placeholder="https://app.example/callback" aria-describedby="uri-hint{{#URI_WRONG}} uri-problem{{/URI_WRONG}}"{{#URI_WRONG}} aria-invalid="true"{{/URI_WRONG}}>
<span class="meta" id="uri-hint">Where users are sent back to, with the response. It begins with https://, or with http:// on 127.0.0.1 or [::1] while you develop; it has no fragment (#) and no user name (@). Requests must contain this same address. Only two things may differ: requests may add query parameters at the end, and on 127.0.0.1 and [::1] they may use any port.{{#OLD}} If you change it, links and requests with the old one stop working.{{/OLD}}</span>
{{#URI_PROBLEM}}<span class="field-problem" id="uri-problem">{{PROBLEM}}</span>{{/URI_PROBLEM}}</p>
<fieldset id="scopes" tabindex="-1" aria-describedby="scopes-hint{{#SCOPES_WRONG}} scopes-problem{{/SCOPES_WRONG}}"><legend>Permissions</legend>
{{#SCOPE}}<label class="choice"><input type="checkbox" name="scope" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> <span><strong>{{TITLE}}</strong> <code>{{VALUE}}</code><br>{{TEXT}}{{#FULL}}<br><span class="caution">This is full access. Choose it only if no other permission is enough: users see a warning before they allow it.</span>{{/FULL}}</span></label>
{{/SCOPE}}<span class="meta" id="scopes-hint">What the application may ask for. Choose no more than it needs.{{#OLD}} If you change this, existing tokens keep what users have allowed, and users are asked again the next time.{{/OLD}}</span>
{{#SCOPES_PROBLEM}}<span class="field-problem" id="scopes-problem">{{PROBLEM}}</span>{{/SCOPES_PROBLEM}}</fieldset>
<details class="advanced"{{#ADVANCED_OPEN}} open{{/ADVANCED_OPEN}}><summary>Advanced</summary>
<fieldset><legend>Scopes in token responses</legend>
<label class="choice"><input type="radio" name="scope_format" value="array"{{#ARRAY}} checked{{/ARRAY}}> <span>A list of names<br><span class="meta">As described in our documentation: <code>["media:read"]</code></span></span></label>
<label class="choice"><input type="radio" name="scope_format" value="string"{{#STRING}} checked{{/STRING}}> <span>One text<br><span class="meta">As in RFC 6749: <code>"media:read stats:read"</code>. Choose it if your OAuth library refuses the list.</span></span></label></fieldset>
<fieldset><legend>Security</legend>
<label class="choice"><input type="checkbox" name="require_pkce" value="yes"{{#PKCE}} checked{{/PKCE}}> <span>Require PKCE<br><span class="meta">Every request for access must have a <code>code_challenge</code>. A stolen code is useless without it.</span></span></label>
<label class="choice"><input type="checkbox" name="exact_redirect" value="yes"{{#EXACT}} checked{{/EXACT}}> <span>Allow no extra parameters in the redirect URI<br><span class="meta">Otherwise requests may add query parameters to it.</span></span></label>
<label class="choice"><input type="checkbox" name="refuse_query_credentials" value="yes"{{#NO_QUERY}} checked{{/NO_QUERY}}> <span>Refuse the client secret in addresses<br><span class="meta">It must then be in the body or the header of a token request, which fewer servers log.</span></span></label></fieldset>
</details>
<p class="answers"><button class="primary">{{#NEW}}Register the application{{/NEW}}{{#OLD}}Save the changes{{/OLD}}</button>
<a class="button" href="{{BACK}}">Cancel</a></p>
</form>
