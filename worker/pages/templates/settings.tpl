{{%AUTOESCAPE context="HTML"}}
<h1>Settings</h1>
<section aria-labelledby="mine"><h2 id="mine">My settings</h2>
<ul class="list">
<li><a href="/settings/connected">Connected applications</a><br><span class="meta">What you have let in, and how to end it</span></li>
<li><a href="/settings/security">Sessions and password</a><br><span class="meta">Where you are logged in</span></li>
</ul></section>
<section aria-labelledby="accounts"><h2 id="accounts">Accounts</h2>
{{#NO_ACCOUNT}}<p>You do not belong to an account yet. Its owner can add you.</p>
{{/NO_ACCOUNT}}{{#HAS_ACCOUNTS}}<ul class="list">
{{/HAS_ACCOUNTS}}{{#ACCOUNT}}<li><bdi>{{NAME}}</bdi><br><a href="{{PATH}}">OAuth applications<span class="unseen"> of {{NAME}}</span></a></li>
{{/ACCOUNT}}{{#HAS_ACCOUNTS}}</ul>
{{/HAS_ACCOUNTS}}</section>
