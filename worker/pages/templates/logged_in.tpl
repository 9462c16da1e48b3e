<h1>You are logged in</h1>
<p>As <bdi class="person">{{NAME}}</bdi> <span class="meta">(<bdi>{{EMAIL}}</bdi>)</span>.</p>
<p><a href="{{@SETTINGS}}">My Settings</a></p>
<form method="post" action="{{@LOGOUT}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><button class="primary">Log out</button></p>
</form>
