<h1>Embed codes</h1>
<div class="beside">
<form method="get" action="{{@EMBED_CODES}}#outcome" id="choice">
<div id="problems">{{#HAS_PROBLEM}}<div class="problem" role="alert" tabindex="-1" autofocus><p>There is no code yet:</p><ul>
{{/HAS_PROBLEM}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEM}}</ul></div>
{{/HAS_PROBLEM}}</div>
<p><label for="url">Video or playlist</label>
<input id="url" name="url" value="{{URL}}" required maxlength="2000" autocomplete="off" spellcheck="false" inputmode="url" aria-describedby="url-hint{{#URL_WRONG}} url-problem{{/URL_WRONG}}"{{#URL_WRONG}} aria-invalid="true"{{/URL_WRONG}}>
<span class="meta" id="url-hint">Its address or its id</span>
{{#URL_PROBLEM}}<span class="field-problem" id="url-problem">{{PROBLEM}}</span>{{/URL_PROBLEM}}</p>
<fieldset id="embedType" tabindex="-1"><legend>Type</legend>
{{#TYPE}}<label class="choice"><input type="radio" name="embedType" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> {{NAME}}</label>
{{/TYPE}}</fieldset>
{{>OPTIONS}}
<p><button class="primary">Show the code</button></p>
</form>
<div id="outcome">
{{#RESULT}}<section aria-labelledby="result">
<h2 id="result"><bdi class="clamp">{{TITLE}}</bdi></h2>
{{#ENDS}}<p class="notice">The video is private, and the code plays until its link ends: {{TIME}}. Its owner makes links that last in the settings.</p>
{{/ENDS}}{{#SITES}}<p class="notice">Only pages of these sites may show it: {{#SITE}}<code>{{NAME}}</code>{{SEPARATOR}} {{/SITE}}On other pages, the code shows why there is no video.</p>
{{/SITES}}<div id="preview">{{#PICTURE}}<p>{{TEXT}}</p>
<p><img src="{{URL}}" alt="Thumbnail" width="{{WIDTH}}" height="{{HEIGHT}}"></p>
{{/PICTURE}}{{#PLAYER}}<div class="stage"><div><img src="data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20width=%22{{WIDTH}}%22%20height=%22{{HEIGHT}}%22/%3E" alt=""><iframe src="{{URL}}" title="Preview of {{TITLE}}" allow="autoplay; fullscreen"></iframe></div></div>
{{/PLAYER}}</div>
<p><label for="code">Embed code</label>
<textarea id="code" readonly rows="7" spellcheck="false">{{CODE}}</textarea>
<button type="button" class="copy" data-copy="code" hidden>Copy the code</button></p>
<details id="answer"><summary>The raw oEmbed answer</summary>
<p><a href="{{ANSWER_URL}}">{{ANSWER_URL}}</a></p>
<textarea readonly rows="10" spellcheck="false" aria-label="oEmbed answer as JSON">{{ANSWER}}</textarea></details>
</section>
{{/RESULT}}{{#WAITING}}<div class="empty"><p><strong>The player and its code appear here.</strong></p>
<p>Paste the address of a video: its page, or its id from <a href="{{@MY_MEDIA}}">your media</a>.{{#EXAMPLE}} Or try <a href="{{@EMBED_CODES}}?url={{ID}}#outcome">an example</a>.{{/EXAMPLE}}</p></div>
{{/WAITING}}</div>
</div>
<section aria-labelledby="templates">
<h2 id="templates">Ready to copy</h2>
<div id="ready">
{{#FILLED}}<p>Common sizes of each type for the chosen video, without other options.</p>
{{/FILLED}}{{#PLACEHOLDERS}}<p>The same codes for building by hand. Replace <code>ID</code> by the id of a video, which is the last part of its address, and <code>TITLE</code>, where there is one, by its title.</p>
{{/PLACEHOLDERS}}{{#TEMPLATE}}<h3 id="t-{{NUMBER}}">{{NAME}}</h3>
<p><textarea id="template-{{NUMBER}}" readonly rows="{{ROWS}}" spellcheck="false" aria-labelledby="t-{{NUMBER}}">{{CODE}}</textarea>
<button type="button" class="copy" data-copy="template-{{NUMBER}}" hidden>Copy</button></p>
{{/TEMPLATE}}</div></section>
<section aria-labelledby="api">
<h2 id="api">Control the player from your page</h2>
<p>An async code with <code>handle=app.player</code> gives its player to the scripts of your page under that name; without the option the name is <code>svcEmbed</code>, and <code>svcPlaylist</code> for a playlist. A page that shows the iframe code sends messages to the frame instead.</p>
<p>The pages for developers have <a href="{{@DEVELOPERS}}/control">all methods, events and messages</a>, <a href="{{@DEVELOPERS}}/player">every option</a>, and <a href="{{@DEVELOPERS}}/policy">what the policy of your page must allow</a>.</p></section>
