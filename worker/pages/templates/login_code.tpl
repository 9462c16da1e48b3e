<h1>{{_}}Enter your code{{/_}}</h1>
{{#SENT}}<p>{{_}}<strong><bdi>{{APPLICATION}}</bdi></strong> sent you here. It does not see your password.{{/_}}</p>
{{/SENT}}{{#HAS_PROBLEM}}<p class="problem" id="problem" role="alert">{{PROBLEM}}</p>
{{/HAS_PROBLEM}}<p>{{_}}Your password is correct. Now enter the code that your authenticator shows, or one of your recovery codes.{{/_}}</p>
<form method="post" action="{{@LOGIN}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="step" value="{{STEP}}">
{{#HAS_RETURN}}<input type="hidden" name="return" value="{{RETURN}}">
{{/HAS_RETURN}}
<p><label for="code">{{_}}Code{{/_}}</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40" required autofocus{{#WRONG}} aria-invalid="true" aria-describedby="problem"{{/WRONG}}></p>
<p><button class="primary">{{_}}Log in{{/_}}</button></p>
</form>
{{#PASSKEY}}<form method="post" action="{{@LOGIN}}" data-passkey="get" data-options="{{OPTIONS}}" hidden>
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="step" value="{{STEP}}">
<input type="hidden" name="return" value="{{RETURN}}">
<input type="hidden" name="credential">
<p class="problem" role="alert" data-problem hidden>{{_}}No passkey was used. Try again, or enter a code.{{/_}}</p>
<p class="answers"><button>{{_}}Use a passkey{{/_}}</button></p>
</form>
{{/PASSKEY}}<p class="meta">{{_}}You have neither a code nor a recovery code?{{/_}} {{#HELP}}<a href="{{URL}}">{{_}}Get help{{/_}}</a>{{/HELP}}{{#ASK_OPERATOR}}{{_}}Ask the operator of this service to reset your second factor.{{/_}}{{/ASK_OPERATOR}}</p>
