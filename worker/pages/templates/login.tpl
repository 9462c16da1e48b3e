<h1>{{_}}Log in{{/_}}</h1>
{{#SENT}}<p>{{_}}<strong><bdi>{{APPLICATION}}</bdi></strong> sent you here. It does not see your password.{{/_}}</p>
{{/SENT}}{{#HAS_PROBLEM}}<p class="problem" id="problem" role="alert"{{#MISSING}} tabindex="-1" autofocus{{/MISSING}}>{{#MISSING}}<a href="#{{FIELD}}">{{PROBLEM}}</a>{{/MISSING}}{{#REFUSED}}{{PROBLEM}}{{/REFUSED}}</p>
{{/HAS_PROBLEM}}
{{#KNOWN}}<p><a href="{{PATH}}">{{_}}Continue as {{EMAIL}}{{/_}}</a></p>
{{/KNOWN}}
<form method="post" action="{{@LOGIN}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
{{#HAS_RETURN}}<input type="hidden" name="return" value="{{RETURN}}">
{{/HAS_RETURN}}
<p><label for="email">{{_}}Email address{{/_}}</label>
<input id="email" name="email" type="email" value="{{EMAIL}}" autocomplete="username" inputmode="email" autocapitalize="none" spellcheck="false" maxlength="254" required{{#FOCUS_EMAIL}} autofocus{{/FOCUS_EMAIL}}{{#WRONG}} aria-invalid="true" aria-describedby="problem"{{/WRONG}}{{#NO_EMAIL}} aria-invalid="true" aria-describedby="email-problem"{{/NO_EMAIL}}>
{{#NO_EMAIL}}<span class="field-problem" id="email-problem">{{_}}Enter the email address of your account.{{/_}}</span>{{/NO_EMAIL}}</p>
<p><label for="password">{{_}}Password{{/_}}</label>
<input id="password" name="password" data-show="{{SHOW}}" data-hide="{{HIDE}}" data-show-password="{{SHOW_PASSWORD}}" data-hide-password="{{HIDE_PASSWORD}}" type="password" autocomplete="current-password" required{{#FOCUS_PASSWORD}} autofocus{{/FOCUS_PASSWORD}}{{#WRONG}} aria-invalid="true" aria-describedby="problem"{{/WRONG}}{{#NO_PASSWORD}} aria-invalid="true" aria-describedby="password-problem"{{/NO_PASSWORD}}>
{{#NO_PASSWORD}}<span class="field-problem" id="password-problem">{{_}}Enter your password.{{/_}}</span>{{/NO_PASSWORD}}</p>
<p><button class="primary">{{_}}Log in{{/_}}</button></p>
</form>
<p class="meta">{{_}}Forgot your password?{{/_}} {{#HELP}}<a href="{{URL}}">{{_}}Get help{{/_}}</a>{{/HELP}}{{#ASK_OPERATOR}}{{_}}Ask the operator of this service for a new one.{{/_}}{{/ASK_OPERATOR}}</p>
