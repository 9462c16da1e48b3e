<h1>Applications of <bdi>{{ACCOUNT}}</bdi></h1>
<p class="notice">{{WHY}}</p>
<p>The applications that you have connected yourself are under <a href="{{@CONNECTED}}">Connected applications</a>.</p>
