<p class="way"><a href="{{BACK}}"><bdi>{{NAME}}</bdi></a></p>
<h1>Player</h1>
<p>These options hold wherever the video is embedded. Options of an embed code take precedence.</p>
<div id="outcome">
<div id="preview">{{#PLAYER}}<div class="stage"><div><img src="data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22%20width=%22{{WIDTH}}%22%20height=%22{{HEIGHT}}%22/%3E" alt=""><iframe src="{{URL}}" title="Preview of {{TITLE}}" allow="autoplay; fullscreen"></iframe></div></div>
{{/PLAYER}}</div>
</div>
<div id="result">{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#UNSAVED}}<p class="notice" role="status">The preview is not saved yet.</p>
{{/UNSAVED}}</div>
<form method="post" action="{{ACTION}}" id="choice" accept-charset="utf-8">
<div id="problems">{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been saved yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}</div>
{{#OVERTAKEN}}<div class="problem" role="alert"><p>Another user changed these options while you were editing them. Your changes are not saved yet, but they are still in the form. These options are saved now:</p>
{{#NOTHING}}<p>No option.</p>
{{/NOTHING}}<dl>
{{#SAVED}}<dt><code>{{FIELD}}</code></dt>
<dd><bdi>{{VALUE}}</bdi></dd>
{{/SAVED}}</dl>
<p>If you save now, the form replaces it.</p></div>
{{/OVERTAKEN}}<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
{{>OPTIONS}}
<p class="answers"><button class="primary">Save the options</button>
<button name="preview" value="1">Preview</button>
<a class="button" href="{{BACK}}">Cancel</a></p>
</form>
