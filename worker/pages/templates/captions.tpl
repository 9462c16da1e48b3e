<p class="way"><a href="{{BACK}}"><bdi>{{NAME}}</bdi></a></p>
<h1>Captions</h1>
{{#DONE_SAVED}}<p class="notice" role="status">The captions are saved.</p>
{{/DONE_SAVED}}{{#DONE_DELETED}}<p class="notice" role="status">The captions are deleted.</p>
{{/DONE_DELETED}}{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been saved yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#EMPTY}}<p class="empty">There are no captions yet.</p>
{{/EMPTY}}{{#FULL}}<ul class="list">
{{/FULL}}{{#CAPTIONS}}<li class="entry"><div><h2><bdi>{{LABEL}}</bdi></h2>
<p class="meta">{{LANGUAGE}}{{#DEFAULT}} · shown unless the viewer chooses others{{/DEFAULT}}</p></div>
<p class="links">{{#MADE}}<a href="{{FILE}}">File<span class="unseen"> of {{LABEL}}</span></a>{{/MADE}}{{#SET}}<a href="{{PATH}}.vtt">WebVTT<span class="unseen"> of {{LABEL}}</span></a> <a href="{{PATH}}.srt">SubRip<span class="unseen"> of {{LABEL}}</span></a>{{/SET}} <a href="{{PATH}}">Replace<span class="unseen"> {{LABEL}}</span></a> <a href="{{PATH}}/delete">Delete<span class="unseen"> {{LABEL}}</span></a></p></li>
{{/CAPTIONS}}{{#FULL}}</ul>
{{/FULL}}<section aria-labelledby="new"><h2 id="new">Add captions</h2>
<form method="post" action="{{ACTION}}" enctype="multipart/form-data" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><label for="language">Language</label>
<input id="language" name="language" value="{{LANGUAGE}}" required maxlength="120" list="languages" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="language-hint{{#LANGUAGE_WRONG}} language-problem{{/LANGUAGE_WRONG}}"{{#LANGUAGE_WRONG}} aria-invalid="true"{{/LANGUAGE_WRONG}}>
<datalist id="languages">{{#OFFERED}}<option value="{{TITLE}}">{{/OFFERED}}</datalist>
<span class="meta" id="language-hint">Its name or its code, such as German, Deutsch or de</span>
{{#LANGUAGE_PROBLEM}}<span class="field-problem" id="language-problem">{{PROBLEM}}</span>{{/LANGUAGE_PROBLEM}}</p>
<p><label for="caption_file">File</label>
<input type="file" id="caption_file" name="caption_file" required accept=".vtt,.srt,text/vtt" aria-describedby="file-hint{{#CAPTION_FILE_WRONG}} caption_file-problem{{/CAPTION_FILE_WRONG}}"{{#CAPTION_FILE_WRONG}} aria-invalid="true"{{/CAPTION_FILE_WRONG}}>
<span class="meta" id="file-hint">WebVTT or SubRip (.vtt, .srt), at most {{MOST}} MB</span>
{{#CAPTION_FILE_PROBLEM}}<span class="field-problem" id="caption_file-problem">{{PROBLEM}}</span>{{/CAPTION_FILE_PROBLEM}}</p>
<p><button class="primary">Add the captions</button></p>
</form></section>
