<h1>{{_}}You cannot give <bdi>{{CLIENT}}</bdi> access{{/_}}</h1>
{{#NO_ACCOUNT}}<p>{{_}}You do not belong to an account that it could get access to. The operator of this service can add you to one.{{/_}}</p>
{{/NO_ACCOUNT}}{{#HAS_ACCOUNTS}}<ul class="scopes">
{{#ACCOUNT}}<li><strong><bdi>{{NAME}}</bdi></strong><br>{{WHY}}</li>
{{/ACCOUNT}}</ul>
{{/HAS_ACCOUNTS}}{{#ASK_OWNER}}<p>{{_}}Ask an owner or manager to connect it. If you are one with another login, choose “Not you?” below.{{/_}}</p>
{{/ASK_OWNER}}{{#ASK_OPERATOR}}<p>{{_}}It cannot be connected yet. Ask the operator of this service to enable OAuth for the account.{{/_}}</p>
{{/ASK_OPERATOR}}{{#SET_UP}}<p>{{_}}Set up a second factor, then start again from the application.{{/_}} <a href="{{@SECOND_FACTOR}}">{{_}}Set up a second factor{{/_}}</a></p>
{{/SET_UP}}<form method="post" action="{{@AUTHORIZE}}">
<input type="hidden" name="transaction" value="{{TRANSACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="primary" name="answer" value="deny">{{_}}Go back without access{{/_}}</button></p>
</form>
<p class="meta">{{_}}You will be sent to <strong><bdi>{{HOST}}</bdi></strong>, which is told that it has no access.{{/_}}</p>
{{>SIGNED_IN}}
