<h1>{{_}}You are logged in{{/_}}</h1>
<p>{{_}}As <bdi class="person">{{NAME}}</bdi> <span class="meta">(<bdi>{{EMAIL}}</bdi>)</span>.{{/_}}</p>
<p><a href="{{@SETTINGS}}">{{_}}My Settings{{/_}}</a></p>
<form method="post" action="{{@LOGOUT}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><button class="primary">{{_}}Log out{{/_}}</button></p>
</form>
