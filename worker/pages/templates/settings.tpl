<h1>Settings</h1>
<h2 id="mine">You</h2>
<ul class="cards" aria-labelledby="mine">
<li class="card"><h3><a href="{{@CONNECTED}}">Connected applications</a></h3><p>Which applications have access on your behalf, and how to end it</p></li>
<li class="card"><h3><a href="{{@SECURITY}}">Sessions and password</a></h3><p>Where you are logged in, and a new password</p></li>
<li class="card"><h3><a href="{{@SECOND_FACTOR}}">Second factor</a></h3><p>A code of your authenticator for the login, and recovery codes</p></li>
</ul>
{{#NO_ACCOUNT}}<h2>Accounts</h2>
<div class="empty"><p>You do not belong to an account yet. The operator of this service can add you to one.</p></div>
{{/NO_ACCOUNT}}{{#ACCOUNT}}<h2><bdi>{{NAME}}</bdi></h2>
<ul class="cards">
{{#LIBRARY}}<li class="card"><h3><a href="{{MEDIA}}">Media<span class="unseen"> of {{NAME}}</span></a></h3><p>Upload, find and edit videos, copy their embed codes</p></li>
<li class="card"><h3><a href="{{STATS}}">Statistics<span class="unseen"> of {{NAME}}</span></a></h3><p>How often its media are watched, and which most</p></li>
<li class="card"><h3><a href="{{SITES}}">Sites<span class="unseen"> of {{NAME}}</span></a></h3><p>Where its films may be shown</p></li>
{{/LIBRARY}}{{#OPEN}}<li class="card"><h3><a href="{{PATH}}">Applications<span class="unseen"> of {{NAME}}</span></a></h3><p>Register applications, see their credentials</p></li>
<li class="card"><h3><a href="{{TOKENS}}">Account tokens<span class="unseen"> of {{NAME}}</span></a></h3><p>For your own scripts, without an application</p></li>
{{/OPEN}}{{#BARRED}}<li class="card"><p>{{WHY}}</p></li>
{{/BARRED}}{{#OWNED}}<li class="card"><h3><a href="{{CONNECTED}}">Connected applications<span class="unseen"> of {{NAME}}</span></a></h3><p>Which applications its users have connected, and how to end that</p></li>
{{/OWNED}}</ul>
{{/ACCOUNT}}
