<p class="way"><a href="{{LIST}}">Applications of <bdi>{{ACCOUNT}}</bdi></a></p>
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
{{/NEW}}{{#TYPES}}<fieldset><legend>What it is</legend>
{{#TYPE}}<label class="choice"><input type="radio" name="type" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> <span>{{OPTION_LABEL}}<br><span class="meta">{{OPTION_HINT}}</span></span></label>
{{/TYPE}}<span class="meta">This cannot be changed later.</span></fieldset>
{{/TYPES}}{{#TEXT}}<p><label for="{{FIELD}}">{{LABEL}}</label>
{{#LINE}}<input id="{{FIELD}}" name="{{FIELD}}" value="{{VALUE}}" {{#REQUIRED}}required {{/REQUIRED}}maxlength="{{MOST}}" autocomplete="off" dir="auto" aria-describedby="{{FIELD}}-hint{{#WRONG}} {{FIELD}}-problem{{/WRONG}}"{{#WRONG}} aria-invalid="true"{{/WRONG}}>
{{/LINE}}{{#LINES}}<textarea id="{{FIELD}}" name="{{FIELD}}" rows="4" {{#REQUIRED}}required {{/REQUIRED}}maxlength="{{MOST}}" dir="auto" aria-describedby="{{FIELD}}-hint{{#WRONG}} {{FIELD}}-problem{{/WRONG}}"{{#WRONG}} aria-invalid="true"{{/WRONG}}>{{VALUE}}</textarea>
{{/LINES}}{{#URIS}}<textarea id="{{FIELD}}" name="{{FIELD}}" class="code" rows="3" {{#REQUIRED}}required {{/REQUIRED}}inputmode="url" autocapitalize="none" spellcheck="false" placeholder="https://app.example/callback" aria-describedby="{{FIELD}}-hint{{#WRONG}} {{FIELD}}-problem{{/WRONG}}"{{#WRONG}} aria-invalid="true"{{/WRONG}}>{{VALUE}}</textarea>
{{/URIS}}<span class="meta" id="{{FIELD}}-hint">{{HINT}}</span>
{{#WRONG}}<span class="field-problem" id="{{FIELD}}-problem">{{PROBLEM}}</span>{{/WRONG}}</p>
{{/TEXT}}{{#SCOPES}}<fieldset id="{{FIELD}}" tabindex="-1" aria-describedby="{{FIELD}}-hint{{#WRONG}} {{FIELD}}-problem{{/WRONG}}"><legend>{{LABEL}}</legend>
{{#SCOPE}}<label class="choice"><input type="checkbox" name="scope" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> <span><strong>{{TITLE}}</strong> <code>{{VALUE}}</code><br>{{TEXT}}{{#FULL}}<br><span class="caution">This is full access. Choose it only if no other permission is enough: users see a warning before they allow it.</span>{{/FULL}}</span></label>
{{/SCOPE}}<span class="meta" id="{{FIELD}}-hint">{{HINT}}</span>
{{#WRONG}}<span class="field-problem" id="{{FIELD}}-problem">{{PROBLEM}}</span>{{/WRONG}}</fieldset>
{{/SCOPES}}<details class="advanced"{{#ADVANCED_OPEN}} open{{/ADVANCED_OPEN}}><summary>Advanced</summary>
{{#CHOICE}}<fieldset><legend>{{LABEL}}</legend>
{{#OPTION}}<label class="choice"><input type="radio" name="{{FIELD}}" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> <span>{{OPTION_LABEL}}<br><span class="meta">{{OPTION_HINT}}</span></span></label>
{{/OPTION}}</fieldset>
{{/CHOICE}}<fieldset><legend>Security</legend>
{{#SWITCH}}<label class="choice"><input type="checkbox" name="{{FIELD}}" value="yes"{{#CHECKED}} checked{{/CHECKED}}> <span>{{LABEL}}<br><span class="meta">{{HINT}}</span></span></label>
{{/SWITCH}}</fieldset>
</details>
<p class="answers"><button class="primary">{{#NEW}}Register the application{{/NEW}}{{#OLD}}Save the changes{{/OLD}}</button>
<a class="button" href="{{BACK}}">Cancel</a></p>
</form>
