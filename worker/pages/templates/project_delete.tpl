<script src="/assets/deliberate.js"></script>
<h1>Delete <bdi>{{NAME}}</bdi>?</h1>
{{#NOT_EMPTY}}<p>The project has {{COUNT}}. Only an empty project is deleted: move <a href="{{MEDIAS}}">its media</a> into another project, or delete them.</p>
<p><a class="button" href="{{BACK}}">Keep it</a></p>
{{/NOT_EMPTY}}{{#DELETION}}<p>The project is empty, so no videos are lost. Its name and description cannot be restored.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="danger">Delete the project</button>
<a class="button" href="{{BACK}}">Keep it</a></p>
</form>
{{/DELETION}}