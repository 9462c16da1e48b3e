<p class="way"><a href="{{LIST}}">Media of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1>Projects of <bdi>{{ACCOUNT}}</bdi></h1>
{{#DONE_CREATED}}<p class="notice" role="status">The project is created.</p>
{{/DONE_CREATED}}{{#DONE_SAVED}}<p class="notice" role="status">The changes are saved.</p>
{{/DONE_SAVED}}{{#DONE_DELETED}}<p class="notice" role="status">The project is deleted.</p>
{{/DONE_DELETED}}{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been saved yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#EMPTY}}<p class="empty">There is no project yet. A project is a folder for videos.</p>
{{/EMPTY}}{{#FULL}}<ul class="list">
{{/FULL}}{{#PROJECT}}<li class="entry"><div><h2><a href="{{MEDIAS}}"><bdi>{{PROJECT_NAME}}</bdi></a></h2>
<p class="meta">{{COUNT}}</p>
{{#DESCRIBED}}<p><bdi class="clamp">{{TEXT}}</bdi></p>
{{/DESCRIBED}}</div>
<p class="links"><a href="{{PATH}}">Edit<span class="unseen"> {{PROJECT_NAME}}</span></a> <a href="{{PATH}}/delete">Delete<span class="unseen"> {{PROJECT_NAME}}</span></a></p></li>
{{/PROJECT}}{{#FULL}}</ul>
{{/FULL}}{{#PAGES}}<nav aria-label="Pages"><ul class="pages">
{{#PREVIOUS}}<li><a href="{{PATH}}" rel="prev">Previous</a></li>
{{/PREVIOUS}}<li><span aria-current="page">Page {{PAGE}} of {{ALL}}</span></li>
{{#NEXT}}<li><a href="{{PATH}}" rel="next">Next</a></li>
{{/NEXT}}</ul></nav>
{{/PAGES}}<section aria-labelledby="new"><h2 id="new">New project</h2>
<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<input type="hidden" name="proof" value="{{PROOF}}">
<p><label for="name">Name</label>
<input id="name" name="name" value="{{ENTERED}}" required maxlength="2000" autocomplete="off" dir="auto"{{#NAME_WRONG}} aria-invalid="true" aria-describedby="name-problem"{{/NAME_WRONG}}>
{{#NAME_PROBLEM}}<span class="field-problem" id="name-problem">{{PROBLEM}}</span>{{/NAME_PROBLEM}}</p>
<p><label for="description">Description</label>
<textarea id="description" name="description" rows="{{ROWS}}" maxlength="8000" dir="auto" aria-describedby="description-hint{{#DESCRIPTION_WRONG}} description-problem{{/DESCRIPTION_WRONG}}"{{#DESCRIPTION_WRONG}} aria-invalid="true"{{/DESCRIPTION_WRONG}}>{{DESCRIPTION}}</textarea>
<span class="meta" id="description-hint">HTML is allowed</span>
{{#DESCRIPTION_PROBLEM}}<span class="field-problem" id="description-problem">{{PROBLEM}}</span>{{/DESCRIPTION_PROBLEM}}</p>
<p><button class="primary">Create the project</button></p>
</form></section>
