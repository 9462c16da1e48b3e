{{%AUTOESCAPE context="HTML"}}
<h1>OAuth applications of <bdi>{{ACCOUNT}}</bdi></h1>
<p class="notice">{{WHY}}</p>
<p>What you have connected yourself is under <a href="/settings/connected">Connected applications</a>.</p>
