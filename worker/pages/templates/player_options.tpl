<fieldset><legend>Size</legend>
<div class="row">
{{#SIZE_FIELD}}<p><label for="{{NAME}}">{{LABEL}}</label>
<input id="{{NAME}}" name="{{NAME}}" value="{{VALUE}}" placeholder="{{EXAMPLE}}" maxlength="2000" autocomplete="off" spellcheck="false"{{#NUMBER}} inputmode="numeric"{{/NUMBER}}{{#WRONG}} aria-invalid="true" aria-describedby="{{NAME}}-problem"{{/WRONG}}>{{#COLOUR}}
<input type="color" id="picker" data-for="{{NAME}}" aria-label="{{LABEL}}: pick" hidden>{{/COLOUR}}
{{#FIELD_PROBLEM}}<span class="field-problem" id="{{NAME}}-problem">{{PROBLEM}}</span>{{/FIELD_PROBLEM}}</p>
{{/SIZE_FIELD}}</div>
{{#SIZE_HINT}}<p class="meta">Without a size, the player is as wide as its place, in the ratio of the video. With a size, it is at most that large.</p>
{{/SIZE_HINT}}{{#SIZE_BOX}}<label class="choice"><input type="checkbox" id="{{NAME}}" name="{{NAME}}" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> {{LABEL}}</label>
{{/SIZE_BOX}}</fieldset>
<fieldset><legend>Look and start</legend>
<div class="row">
{{#LOOK_FIELD}}<p><label for="{{NAME}}">{{LABEL}}</label>
<input id="{{NAME}}" name="{{NAME}}" value="{{VALUE}}" placeholder="{{EXAMPLE}}" maxlength="2000" autocomplete="off" spellcheck="false"{{#NUMBER}} inputmode="numeric"{{/NUMBER}}{{#WRONG}} aria-invalid="true" aria-describedby="{{NAME}}-problem"{{/WRONG}}>{{#COLOUR}}
<input type="color" id="picker" data-for="{{NAME}}" aria-label="{{LABEL}}: pick" hidden>{{/COLOUR}}
{{#FIELD_PROBLEM}}<span class="field-problem" id="{{NAME}}-problem">{{PROBLEM}}</span>{{/FIELD_PROBLEM}}</p>
{{/LOOK_FIELD}}</div>
{{#PLAY_BOX}}<label class="choice"><input type="checkbox" id="{{NAME}}" name="{{NAME}}" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> {{LABEL}}</label>
{{/PLAY_BOX}}</fieldset>
<details{{#PLAYBACK_OPEN}} open{{/PLAYBACK_OPEN}}><summary>More about playing</summary>
<fieldset><legend>Playing</legend>
<div class="row">
{{#PLAYBACK_FIELD}}<p><label for="{{NAME}}">{{LABEL}}</label>
<input id="{{NAME}}" name="{{NAME}}" value="{{VALUE}}" placeholder="{{EXAMPLE}}" maxlength="2000" autocomplete="off" spellcheck="false"{{#NUMBER}} inputmode="numeric"{{/NUMBER}}{{#WRONG}} aria-invalid="true" aria-describedby="{{NAME}}-problem"{{/WRONG}}>{{#COLOUR}}
<input type="color" id="picker" data-for="{{NAME}}" aria-label="{{LABEL}}: pick" hidden>{{/COLOUR}}
{{#FIELD_PROBLEM}}<span class="field-problem" id="{{NAME}}-problem">{{PROBLEM}}</span>{{/FIELD_PROBLEM}}</p>
{{/PLAYBACK_FIELD}}{{#CHOICE}}<p><label for="{{NAME}}">{{LABEL}}</label>
<select id="{{NAME}}" name="{{NAME}}">
{{#ITEM}}<option value="{{VALUE}}"{{#SELECTED}} selected{{/SELECTED}}>{{TEXT}}</option>
{{/ITEM}}</select></p>
{{/CHOICE}}</div>
{{#PLAYBACK_BOX}}<label class="choice"><input type="checkbox" id="{{NAME}}" name="{{NAME}}" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> {{LABEL}}</label>
{{/PLAYBACK_BOX}}</fieldset></details>
<details{{#HIDE_OPEN}} open{{/HIDE_OPEN}}><summary>Hide controls</summary>
<fieldset><legend>Hide</legend>
{{#HIDE_BOX}}<label class="choice"><input type="checkbox" id="{{NAME}}" name="{{NAME}}" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> {{LABEL}}</label>
{{/HIDE_BOX}}</fieldset></details>
<details{{#MORE_OPEN}} open{{/MORE_OPEN}}><summary>Scripts, privacy, playlists</summary>
<fieldset><legend>Other options</legend>
{{#MORE_FIELD}}<p><label for="{{NAME}}">{{LABEL}}</label>
<input id="{{NAME}}" name="{{NAME}}" value="{{VALUE}}" placeholder="{{EXAMPLE}}" maxlength="2000" autocomplete="off" spellcheck="false"{{#NUMBER}} inputmode="numeric"{{/NUMBER}}{{#WRONG}} aria-invalid="true" aria-describedby="{{NAME}}-problem"{{/WRONG}}>{{#COLOUR}}
<input type="color" id="picker" data-for="{{NAME}}" aria-label="{{LABEL}}: pick" hidden>{{/COLOUR}}
{{#FIELD_PROBLEM}}<span class="field-problem" id="{{NAME}}-problem">{{PROBLEM}}</span>{{/FIELD_PROBLEM}}</p>
{{/MORE_FIELD}}{{#MORE_BOX}}<label class="choice"><input type="checkbox" id="{{NAME}}" name="{{NAME}}" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> {{LABEL}}</label>
{{/MORE_BOX}}</fieldset></details>
