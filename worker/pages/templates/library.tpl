<h1>Media of <bdi>{{ACCOUNT}}</bdi></h1>
{{#DONE_DELETED}}<p class="notice" role="status">It is deleted.</p>
{{/DONE_DELETED}}<form method="get" action="{{LIST}}" role="search" aria-label="Media" class="filter">
<p class="wide-field"><label for="q">Search by name</label>
<input type="search" id="q" name="q" value="{{TEXT}}" maxlength="500" autocomplete="off" dir="auto"></p>
{{#FILTER_PROJECTS}}<p><label for="project">Project</label>
<select id="project" name="project"><option value="">Any</option>
{{#OPTION}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/OPTION}}</select></p>
{{/FILTER_PROJECTS}}<p><label for="status">State</label>
<select id="status" name="status">
{{#STATUS}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/STATUS}}</select></p>
<p><label for="sort">Order</label>
<select id="sort" name="sort">
{{#SORT}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/SORT}}</select></p>
<p class="answers"><button>Show</button>{{#FILTERED}} <a class="button" href="{{LIST}}">Show all</a>{{/FILTERED}}</p>
</form>
<details{{#UPLOAD_OPEN}} open{{/UPLOAD_OPEN}}><summary>Upload a file</summary>
<form method="post" action="{{ACTION}}?form={{TOKEN}}" enctype="multipart/form-data" id="upload" class="drop">
<p><label for="file">Video, audio, image or PDF file</label>
<input type="file" id="file" name="file" required accept="video/*,audio/*,image/*,application/pdf" aria-describedby="file-hint">
<span class="meta" id="file-hint">At most 2 GB<span class="scripted" hidden>. Choose one or more files, or drop them here</span></span></p>
<p><label for="name">Name</label>
<input id="name" name="name" maxlength="500" autocomplete="off" aria-describedby="name-hint">
<span class="meta" id="name-hint">If it is empty, the media is named like the file</span></p>
{{#UPLOAD_PROJECTS}}<p><label for="project_id">Into the project</label>
<select id="project_id" name="project_id"><option value="">None</option>
{{#OPTION}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/OPTION}}</select></p>
{{/UPLOAD_PROJECTS}}<p><label for="visibility">Who may watch it</label>
<select id="visibility" name="visibility">
{{#VISIBILITY}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/VISIBILITY}}</select></p>
<p><button class="primary">Upload</button></p>
</form>
{{#TAKEN}}<p class="meta">The files of this account take {{BYTES}}{{#LIMITED}} of the {{MOST}} that are allowed{{/LIMITED}}.</p>
{{/TAKEN}}</details>
<div id="said" role="log" class="unseen"></div>
<section aria-labelledby="found"><h2 id="found">{{#FOUND}}{{COUNT}}{{/FOUND}}{{#EMPTY}}Media{{/EMPTY}}{{#NONE}}Nothing found{{/NONE}}{{#SEARCHED}}Found{{/SEARCHED}}</h2>
<ul class="list" id="sending"></ul>
{{#EMPTY}}<p class="empty" id="empty">Nothing was uploaded yet.</p>
{{/EMPTY}}{{#NONE}}<p class="empty">No media here has all of this.</p>
{{/NONE}}<ul class="list" id="media">
{{#MEDIA}}{{>ITEM}}{{/MEDIA}}</ul>
{{#PAGES}}<nav aria-label="Pages"><ul class="pages">
{{#FIRST}}<li><a href="{{PATH}}">First</a></li>
{{/FIRST}}{{#PREVIOUS}}<li><a href="{{PATH}}" rel="prev">Previous</a></li>
{{/PREVIOUS}}<li><span aria-current="page">Page {{PAGE}} of {{ALL}}</span></li>
{{#NEXT}}<li><a href="{{PATH}}" rel="next">Next</a></li>
{{/NEXT}}{{#LAST}}<li><a href="{{PATH}}">Last</a></li>
{{/LAST}}</ul></nav>
{{/PAGES}}{{#TOO_MANY}}<p class="meta">The pages have the first {{MOST}} media. Another order, a project or a part of the name finds the others.</p>
{{/TOO_MANY}}{{#FURTHER}}<p>The names up to “<bdi>{{NAME}}</bdi>” were searched. <a href="{{PATH}}" rel="next">Search the names after it</a></p>
{{/FURTHER}}{{#FROM_START}}<p><a href="{{PATH}}">Search again from the first name</a></p>
{{/FROM_START}}</section>
<p class="links"><a href="{{PROJECTS}}">Projects of <bdi>{{ACCOUNT}}</bdi></a> <a href="{{STATS}}">Statistics</a> <a href="{{SITES}}">Where its films may be shown</a></p>
