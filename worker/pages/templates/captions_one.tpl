<p class="way"><a href="{{BACK}}"><bdi>{{NAME}}</bdi></a> · <a href="{{LIST}}">Captions</a></p>
<h1>Replace captions: {{LANGUAGE}}</h1>
{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been saved yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#OVERTAKEN}}<p class="problem" role="alert">Another user has changed these captions since you opened the page. Nothing was replaced yet. Look at <a href="{{PATH}}.vtt">the present ones</a>; if you choose your file again, it replaces them.</p>
{{/OVERTAKEN}}<form method="post" action="{{ACTION}}" enctype="multipart/form-data" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<p><label for="caption_file">File</label>
<input type="file" id="caption_file" name="caption_file" required accept=".vtt,.srt,text/vtt" aria-describedby="file-hint{{#CAPTION_FILE_WRONG}} caption_file-problem{{/CAPTION_FILE_WRONG}}"{{#CAPTION_FILE_WRONG}} aria-invalid="true"{{/CAPTION_FILE_WRONG}}>
<span class="meta" id="file-hint">WebVTT or SubRip (.vtt, .srt), at most {{MOST}} MB</span>
{{#CAPTION_FILE_PROBLEM}}<span class="field-problem" id="caption_file-problem">{{PROBLEM}}</span>{{/CAPTION_FILE_PROBLEM}}</p>
<p class="answers"><button class="primary">Replace the captions</button>
<a class="button" href="{{LIST}}">Cancel</a></p>
</form>
