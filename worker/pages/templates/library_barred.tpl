<h1>Media of <bdi>{{ACCOUNT}}</bdi></h1>
<p class="notice">{{WHY}}</p>
