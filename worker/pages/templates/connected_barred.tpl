<h1>Connected applications of <bdi>{{ACCOUNT}}</bdi></h1>
<p class="notice">Only the owners of this account see which applications its users have connected: ask one of them.</p>
<p>The applications that you have connected yourself are under <a href="{{@CONNECTED}}">Connected applications</a>.</p>
