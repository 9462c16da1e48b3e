{{%AUTOESCAPE context="HTML"}}
<h1>You cannot let <bdi>{{CLIENT}}</bdi> in</h1>
{{#NO_ACCOUNT}}<p>You do not belong to an account that it could get access to.</p>
{{/NO_ACCOUNT}}{{#HAS_ACCOUNTS}}<ul class="scopes">
{{#ACCOUNT}}<li><strong><bdi>{{NAME}}</bdi></strong><br>{{WHY}}</li>
{{/ACCOUNT}}</ul>
{{/HAS_ACCOUNTS}}
<p>To go on, log in as somebody who may.</p>
<form method="post" action="/oauth/authorize">
<input type="hidden" name="transaction" value="{{TRANSACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="primary" name="answer" value="deny">Go back without access</button></p>
</form>
<p class="meta">You will be sent to <strong><bdi>{{HOST}}</bdi></strong>, which is told that it has no access.</p>
{{>SIGNED_IN}}
