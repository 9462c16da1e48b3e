{{%AUTOESCAPE context="HTML"}}
<h1>End the older secret of <bdi>{{NAME}}</bdi>?</h1>
<p>An application that still uses the older secret can no longer get or renew tokens, and everybody who uses it is cut off within hours. Now {{PEOPLE}}. The newer secret stays right.</p>
<p>This cannot be taken back.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<p class="answers"><button class="danger">End the older secret</button>
<a class="button" href="{{BACK}}">Keep it</a></p>
</form>
