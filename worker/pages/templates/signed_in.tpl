<form method="post" action="{{@LOGOUT}}" class="signed-in">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="return" value="{{RETURN}}">
<p class="meta">{{_}}Logged in as <bdi>{{CONTACT}}</bdi> (<bdi>{{EMAIL}}</bdi>).{{/_}} <button class="link">{{_}}Not you?{{/_}}</button></p>
</form>
