<h1>{{PAGE}} of <bdi>{{ACCOUNT}}</bdi></h1>
<p class="notice">{{WHY}}</p>
