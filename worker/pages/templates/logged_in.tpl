{{%AUTOESCAPE context="HTML"}}
<h1>You are logged in</h1>
<p>As <bdi class="person">{{NAME}}</bdi> <span class="meta">(<bdi>{{EMAIL}}</bdi>)</span>.</p>
<p><a href="/settings">My Settings</a></p>
<form method="post" action="/logout">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><button class="primary">Log out</button></p>
</form>
