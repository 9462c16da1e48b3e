{{%AUTOESCAPE context="HTML"}}
<h1><bdi class="clamp">{{NAME}}</bdi></h1>
<p id="said" role="status" class="unseen"></p>
<ul class="list">
{{>ITEM}}</ul>
<p><a href="{{LIST}}">Media of <bdi>{{ACCOUNT}}</bdi></a></p>
