{{%AUTOESCAPE context="HTML"}}
<form method="post" action="/logout" class="signed-in">
<input type="hidden" name="form_token" value="{{LOGOUT_TOKEN}}">
<input type="hidden" name="return_path" value="{{RETURN_PATH}}">
<p class="meta">Signed in as <bdi>{{CONTACT}}</bdi> (<bdi>{{EMAIL}}</bdi>). <button class="link">Not you?</button></p>
</form>
