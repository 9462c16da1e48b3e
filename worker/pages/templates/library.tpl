<h1>Media of <bdi>{{ACCOUNT}}</bdi></h1>
{{#DONE_DELETED}}<p class="notice" role="status">The video is deleted.</p>
{{/DONE_DELETED}}{{#DONE_MANYDELETED}}<p class="notice" role="status">The selected items are deleted.</p>
{{/DONE_MANYDELETED}}{{#DONE_MANYMOVED}}<p class="notice" role="status">The selected items are moved.</p>
{{/DONE_MANYMOVED}}{{#DONE_MANYCHANGED}}<p class="notice" role="status">The selected items are changed.</p>
{{/DONE_MANYCHANGED}}{{#PROBLEM}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been changed: {{PROBLEM}}</p></div>
{{/PROBLEM}}<section aria-labelledby="new"><h2 id="new">Upload</h2>
{{#NO_UPLOADS}}<p class="notice">{{WHY}}</p>
{{/NO_UPLOADS}}{{#UPLOAD}}<form method="post" action="{{ACTION}}?form={{TOKEN}}" enctype="multipart/form-data" id="upload">
<div class="drop"><p><label for="file">Video, audio, image or PDF file</label>
<input type="file" id="file" name="file" required accept="video/*,audio/*,image/*,application/pdf" aria-describedby="file-hint">
<span class="meta" id="file-hint">At most 2 GB<span class="scripted" hidden>. Choose one or more files, or drop them here</span></span></p></div>
<div class="row"><p><label for="name">Title</label>
<input id="name" name="name" maxlength="500" autocomplete="off" dir="auto" aria-describedby="name-hint">
<span class="meta" id="name-hint">If it is empty, the file’s name</span></p>
{{#UPLOAD_PROJECTS}}<p><label for="project_id">Project</label>
<select id="project_id" name="project_id"><option value="">None</option>
{{#OPTION}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/OPTION}}</select></p>
{{/UPLOAD_PROJECTS}}<p><label for="visibility">Who can watch</label>
<select id="visibility" name="visibility">
{{#VISIBILITY}}<option value="{{VALUE}}"{{#CHOSEN}} selected{{/CHOSEN}}>{{NAME}}</option>
{{/VISIBILITY}}</select></p></div>
<p><button class="primary">Upload</button></p>
</form>
<ul class="list" id="sending"></ul>
{{/UPLOAD}}<p class="meta" id="taken">{{#TAKEN}}The files of this account take {{BYTES}}{{#LIMITED}} of the {{MOST}} that are allowed{{/LIMITED}}.{{/TAKEN}}</p></section>
<div id="said" role="log" class="unseen"></div>
<section aria-labelledby="found" class="library">
<form method="get" action="{{LIST}}" role="search" aria-label="Media" class="filter" id="filter">
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
<p class="answers"><button>Show</button></p>
</form>
<div id="results"><div class="heading"><h2 id="found">{{#FOUND}}{{COUNT}}{{/FOUND}}{{#EMPTY}}Media{{/EMPTY}}{{#NONE}}Nothing found{{/NONE}}{{#SEARCHED}}Found{{/SEARCHED}}</h2>{{#FILTERED}} <a href="{{LIST}}">Show all</a>{{/FILTERED}}</div>
{{#EMPTY}}<p class="empty" id="empty">Nothing was uploaded yet.</p>
{{/EMPTY}}{{#NONE}}<p class="empty">Nothing here matches all of this.</p>
{{/NONE}}{{#UNREADABLE}}<p class="problem">The item <bdi>{{ID}}</bdi> cannot be read, because its record is damaged. Ask the operator to restore it from a backup, or <a href="{{PATH}}">delete it</a>.</p>
{{/UNREADABLE}}<ul class="list" id="media">
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
{{/FROM_START}}</div>
{{#MANY}}<form method="post" action="{{ACTION}}" id="many" class="many" aria-label="Selected items">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<div><p class="scripted" hidden><label class="choice"><input type="checkbox" id="all"> <span>Select all<span> on this page</span></span></label> <output id="selected" class="meta"></output></p>
<p><button class="danger" name="action" value="delete">Delete selected</button></p></div>
<div>{{#MOVE}}<p><label for="many-project">Move to project</label>
<span class="together"><select id="many-project" name="project_id">
{{#OPTION}}<option value="{{VALUE}}">{{NAME}}</option>
{{/OPTION}}</select> <button name="action" value="move">Move</button></span></p>
{{/MOVE}}<p><label for="many-visibility">Who can watch</label>
<span class="together"><select id="many-visibility" name="visibility">
{{#VISIBILITY}}<option value="{{VALUE}}">{{NAME}}</option>
{{/VISIBILITY}}</select> <button name="action" value="visibility">Change</button></span></p></div>
</form>
{{/MANY}}</section>
<p class="links"><a href="{{PROJECTS}}">Projects of <bdi>{{ACCOUNT}}</bdi></a> <a href="{{STATS}}">Statistics</a> <a href="{{SITES}}">Where its films may be shown</a></p>
