<h1>My Settings</h1>
<section aria-labelledby="mine"><h2 id="mine">You</h2>
<ul class="list">
<li><a href="{{@CONNECTED}}">Connected applications</a><br><span class="meta">Which applications have access on your behalf, and how to end it</span></li>
<li><a href="{{@SECURITY}}">Sessions and password</a><br><span class="meta">Where you are logged in, and a new password</span></li>
</ul></section>
<section aria-labelledby="accounts"><h2 id="accounts">Accounts</h2>
{{#NO_ACCOUNT}}<p>You do not belong to an account yet. The owner of an account can add you to it.</p>
{{/NO_ACCOUNT}}{{#HAS_ACCOUNTS}}<ul class="list">
{{/HAS_ACCOUNTS}}{{#ACCOUNT}}<li><bdi>{{NAME}}</bdi>
{{#OPEN}}<br><a href="{{PATH}}">OAuth applications<span class="unseen"> of {{NAME}}</span></a><br><span class="meta">Register applications, see their credentials</span>
<br><a href="{{MEDIA}}">Media<span class="unseen"> of {{NAME}}</span></a><br><span class="meta">Upload, find and edit videos, copy their embed codes</span>
{{/OPEN}}{{#BARRED}}<br><span class="meta">{{WHY}}</span>
{{/BARRED}}{{#OWNED}}<br><a href="{{CONNECTED}}">Connected applications<span class="unseen"> of {{NAME}}</span></a><br><span class="meta">Which applications its users have connected, and how to end that</span>
{{/OWNED}}</li>
{{/ACCOUNT}}{{#HAS_ACCOUNTS}}</ul>
{{/HAS_ACCOUNTS}}</section>
