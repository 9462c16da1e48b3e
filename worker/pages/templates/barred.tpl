<h1>{{PAGE}} of <bdi>{{ACCOUNT}}</bdi></h1>
<p class="notice">{{WHY}}</p>
{{#CONNECTED}}<p>The applications that you have connected yourself are under <a href="{{@CONNECTED}}">Connected applications</a>.</p>
{{/CONNECTED}}