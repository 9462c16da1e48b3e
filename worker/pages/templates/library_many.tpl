<script src="/assets/deliberate.js"></script>
<p class="way"><a href="{{LIST}}">Media of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1><bdi>{{TITLE}}</bdi></h1>
{{#DELETES}}<p>They are deleted with their captions and all of their files. Wherever they are embedded, visitors read that they cannot be played. This cannot be undone.</p>
{{/DELETES}}{{#SHOWS}}<p>Afterwards, who can watch: {{WHO}}.</p>
{{/SHOWS}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="confirmed" value="1">
<input type="hidden" name="project_id" value="{{PROJECT}}">
<input type="hidden" name="visibility" value="{{VISIBILITY}}">
<ul class="list">
{{#MEDIA}}<li><input type="hidden" name="media" value="{{ID}}"><a href="{{PAGE}}"><bdi>{{NAME}}</bdi></a></li>
{{/MEDIA}}</ul>
<p class="answers">{{#DANGER}}<button class="danger" name="action" value="{{WHAT}}">{{DO}}</button>{{/DANGER}}{{#CALM}}<button class="primary" name="action" value="{{WHAT}}">{{DO}}</button>{{/CALM}}
<a class="button" href="{{LIST}}">Cancel</a></p>
</form>
