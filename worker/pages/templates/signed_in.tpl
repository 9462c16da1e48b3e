<form method="post" action="{{@LOGOUT}}" class="signed-in">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="return" value="{{RETURN}}">
<p class="meta">Logged in as <bdi>{{CONTACT}}</bdi> (<bdi>{{EMAIL}}</bdi>). <button class="link">Not you?</button></p>
</form>
