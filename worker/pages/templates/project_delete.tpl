<script src="/assets/deliberate.js"></script>
{{#NOT_EMPTY}}<h1><bdi>{{NAME}}</bdi> is not empty</h1>
<p>The project has {{COUNT}}. Only an empty project is deleted: move its media into another project, or delete them.</p>
<p class="links"><a class="button primary" href="{{MEDIAS}}">See its media</a> <a class="button" href="{{BACK}}">Keep it</a></p>
{{/NOT_EMPTY}}{{#DELETION}}<h1>Delete <bdi>{{NAME}}</bdi>?</h1>
<p>The project is empty, so no videos are lost. Its name and description cannot be restored.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="danger">Delete the project</button>
<a class="button" href="{{BACK}}">Keep it</a></p>
</form>
{{/DELETION}}