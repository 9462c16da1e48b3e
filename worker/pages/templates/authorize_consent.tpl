<script src="/assets/deliberate.js"></script>
<h1><bdi>{{CLIENT}}</bdi> wants access to <bdi>{{ACCOUNT}}</bdi></h1>
{{#DEVELOPED}}<p class="meta">An application of <bdi>{{DEVELOPER}}</bdi></p>
{{/DEVELOPED}}{{#DESCRIBED}}<blockquote><bdi class="clamp">{{DESCRIPTION}}</bdi></blockquote>
{{/DESCRIBED}}<h2>It will be able to:</h2>
{{#FULL}}<p class="caution"><strong>Full access:</strong> it can do everything for this account that the API offers, and delete its media. Allow it only if you trust the application.</p>
{{/FULL}}<ul class="scopes">
{{#SCOPE}}<li><strong>{{TITLE}}</strong><br>{{TEXT}}</li>
{{/SCOPE}}</ul>
<h2>It will be told:</h2>
{{#TOLD_ALL}}<p>Your name (<bdi>{{CONTACT}}</bdi>) and email address (<bdi>{{EMAIL}}</bdi>), and the name, web address and number of the account.</p>
{{/TOLD_ALL}}{{#TOLD_ACCOUNT}}<p>The name and number of the account.</p>
{{/TOLD_ACCOUNT}}<h2>It will not be able to:</h2>
<p>{{CLOSED}}</p>
{{#TO_LOOPBACK}}<p class="caution">The answer goes to a program on this device, at <code>{{WHERE}}</code>. Allow it only if you have just started the program yourself.</p>
{{/TO_LOOPBACK}}{{#TO_SCHEME}}<p class="caution">The answer goes to the program on this device that opens <code>{{WHERE}}</code>. Allow it only if you have just used the program yourself.</p>
{{/TO_SCHEME}}<form method="post" action="{{@AUTHORIZE}}">
<input type="hidden" name="transaction" value="{{TRANSACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="primary" name="answer" value="allow">Allow</button>
<button name="answer" value="deny">Deny</button></p>
</form>
<p class="meta">Either way you will be sent to <strong><bdi>{{HOST}}</bdi></strong>. You can end this access whenever you want, under My Settings, Connected applications.</p>
{{>SIGNED_IN}}
