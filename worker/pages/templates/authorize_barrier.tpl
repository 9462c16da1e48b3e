<h1>You cannot give <bdi>{{CLIENT}}</bdi> access</h1>
{{#NO_ACCOUNT}}<p>You do not belong to an account that it could get access to. The owner of an account can add you to it.</p>
{{/NO_ACCOUNT}}{{#HAS_ACCOUNTS}}<ul class="scopes">
{{#ACCOUNT}}<li><strong><bdi>{{NAME}}</bdi></strong><br>{{WHY}}</li>
{{/ACCOUNT}}</ul>
{{/HAS_ACCOUNTS}}{{#ASK_OWNER}}<p>Ask an owner or manager to connect it. If you are one with another login, choose “Not you?” below.</p>
{{/ASK_OWNER}}{{#ASK_OPERATOR}}<p>It cannot be connected yet. Ask the operator of this service to enable OAuth for the account.</p>
{{/ASK_OPERATOR}}<form method="post" action="{{@AUTHORIZE}}">
<input type="hidden" name="transaction" value="{{TRANSACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="primary" name="answer" value="deny">Go back without access</button></p>
</form>
<p class="meta">You will be sent to <strong><bdi>{{HOST}}</bdi></strong>, which is told that it has no access.</p>
{{>SIGNED_IN}}
