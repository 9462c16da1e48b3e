<h1>Confirm your password</h1>
{{#PASSWORD_PROBLEM}}<p class="problem" id="problem" role="alert">{{PROBLEM}}</p>
{{/PASSWORD_PROBLEM}}<p>Enter your password to see the client secret of <bdi>{{NAME}}</bdi>, so that other users of your browser cannot see it.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p hidden><label for="username">Email address</label><input id="username" type="email" value="{{EMAIL}}" autocomplete="username" readonly></p>
<p><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus{{#PASSWORD_WRONG}} aria-invalid="true" aria-describedby="problem"{{/PASSWORD_WRONG}}></p>
<p class="answers"><button class="primary">Show the client secret</button>
<a class="button" href="{{BACK}}">Cancel</a></p>
</form>
