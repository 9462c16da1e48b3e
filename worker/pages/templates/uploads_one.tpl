{{%AUTOESCAPE context="HTML"}}
<h1><bdi class="clamp">{{NAME}}</bdi></h1>
<div id="said" role="log" class="unseen"></div>
<ul class="list">
{{>ITEM}}</ul>
<p><a href="{{LIST}}">Media of <bdi>{{ACCOUNT}}</bdi></a></p>
