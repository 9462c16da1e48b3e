<script src="/assets/deliberate.js"></script>
<h1>{{_}}<bdi>{{CLIENT}}</bdi> wants access to <bdi>{{ACCOUNT}}</bdi>{{/_}}</h1>
{{#DOCUMENT}}<p class="caution">{{_}}It is not registered here. It describes itself at <strong><bdi>{{DOCUMENT_HOST}}</bdi></strong>: allow it only if you know that name and trust it.{{/_}}</p>
{{#LOGO}}<p class="meta">{{_}}The address of its logo, which we do not load: <bdi>{{LOGO_URI}}</bdi>{{/_}}</p>
{{/LOGO}}{{/DOCUMENT}}{{#DEVELOPED}}<p class="meta">{{_}}An application of <bdi>{{DEVELOPER}}</bdi>{{/_}}</p>
{{/DEVELOPED}}{{#DESCRIBED}}<blockquote><bdi class="clamp">{{DESCRIPTION}}</bdi></blockquote>
{{/DESCRIBED}}<h2>{{_}}It will be able to:{{/_}}</h2>
{{#FULL}}<p class="caution">{{_}}<strong>Full access:</strong> it can do everything for this account that the API offers, and delete its media. Allow it only if you trust the application.{{/_}}</p>
{{/FULL}}<ul class="scopes">
{{#SCOPE}}<li><strong>{{TITLE}}</strong><br>{{TEXT}}</li>
{{/SCOPE}}</ul>
{{#RESOURCE}}<p class="meta">{{_}}The access is for use at <code>{{URI}}</code>.{{/_}}</p>
{{/RESOURCE}}<h2>{{_}}It will be told:{{/_}}</h2>
{{#TOLD_ALL}}<p>{{_}}Your name (<bdi>{{CONTACT}}</bdi>) and email address (<bdi>{{EMAIL}}</bdi>), and the name, web address and number of the account.{{/_}}</p>
{{/TOLD_ALL}}{{#TOLD_ACCOUNT}}<p>{{_}}The name and number of the account.{{/_}}</p>
{{/TOLD_ACCOUNT}}<h2>{{_}}It will not be able to:{{/_}}</h2>
<p>{{CLOSED}}</p>
{{#TO_LOOPBACK}}<p class="caution">{{_}}The answer goes to a program on this device, at <code>{{WHERE}}</code>. Allow it only if you have just started the program yourself.{{/_}}</p>
{{/TO_LOOPBACK}}{{#TO_SCHEME}}<p class="caution">{{_}}The answer goes to the program on this device that opens <code>{{WHERE}}</code>. Allow it only if you have just used the program yourself.{{/_}}</p>
{{/TO_SCHEME}}<form class="decision" method="post" action="{{@AUTHORIZE}}">
<input type="hidden" name="transaction" value="{{TRANSACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="primary" name="answer" value="allow">{{_}}Allow{{/_}}</button>
<button name="answer" value="deny">{{_}}Deny{{/_}}</button></p>
</form>
<p class="meta">{{_}}Either way you will be sent to <strong><bdi>{{HOST}}</bdi></strong>. You can end this access whenever you want, under Settings, Connected applications.{{/_}}</p>
{{>SIGNED_IN}}
