{{%AUTOESCAPE context="HTML"}}
<h1>Media of <bdi>{{ACCOUNT}}</bdi></h1>
{{#DONE_DELETED}}<p class="notice" role="status">It is deleted.</p>
{{/DONE_DELETED}}<form method="post" action="{{ACTION}}?form={{TOKEN}}" enctype="multipart/form-data" id="upload" class="drop">
<p><label for="file">Video, audio, image or PDF file</label>
<input type="file" id="file" name="file" required accept="video/*,audio/*,image/*,application/pdf" aria-describedby="file-hint">
<span class="meta" id="file-hint">At most 2 GB<span class="scripted" hidden>. Choose one or more files, or drop them here</span></span></p>
<p><label for="name">Name</label>
<input id="name" name="name" maxlength="500" autocomplete="off" aria-describedby="name-hint">
<span class="meta" id="name-hint">If it is empty, the media is named like the file</span></p>
<p><button class="primary">Upload</button></p>
</form>
{{#TAKEN}}<p class="meta">The files of this account take {{BYTES}}{{#LIMITED}} of the {{MOST}} that are allowed{{/LIMITED}}.</p>
{{/TAKEN}}<div id="said" role="log" class="unseen"></div>
<section aria-labelledby="last"><h2 id="last">Last uploads</h2>
<ul class="list" id="sending"></ul>
{{#EMPTY}}<p id="empty">Nothing was uploaded yet.</p>
{{/EMPTY}}<ul class="list" id="media">
{{#UPLOAD}}{{>ITEM}}{{/UPLOAD}}</ul>
{{#FULL}}<p class="meta">The page shows the last {{MOST}} uploads.</p>
{{/FULL}}</section>
