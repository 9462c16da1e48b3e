{{%AUTOESCAPE context="HTML"}}
<h1><bdi class="clamp">{{NAME}}</bdi></h1>
<div id="said" role="log" class="unseen"></div>
<ul class="list">
{{>ITEM}}</ul>
{{#DELETION}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><button class="danger">Delete</button></p>
</form>
{{/DELETION}}<p><a href="{{LIST}}">Media of <bdi>{{ACCOUNT}}</bdi></a></p>
