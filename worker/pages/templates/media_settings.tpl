{{%AUTOESCAPE context="HTML"}}
<p class="meta"><a href="{{LIST}}">Media of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1><bdi class="clamp">{{NAME}}</bdi></h1>
<div id="said" role="log" class="unseen"></div>
<ul class="list">
{{>ITEM}}</ul>
{{#KEPT}}<p class="meta">The file is kept for some days, so that the operator of this service can repeat the conversion. Then the upload is deleted.</p>
{{/KEPT}}{{#DELETION}}<form method="post" action="{{ACTION}}" id="deletion">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><button class="danger">Delete</button></p>
</form>
{{/DELETION}}