<h1>{{#MEDIA}}Media{{/MEDIA}}{{#APPLICATIONS}}Applications{{/APPLICATIONS}}</h1>
{{#NO_ACCOUNT}}<div class="empty"><p>You do not belong to an account yet. The operator of this service can add you to one.</p></div>
{{/NO_ACCOUNT}}{{#HAS_ACCOUNTS}}<p>Choose the account:</p>
<ul class="cards">
{{/HAS_ACCOUNTS}}{{#ACCOUNT}}<li class="card">{{#OPEN}}<h2><a href="{{PATH}}"><bdi>{{NAME}}</bdi></a></h2>{{/OPEN}}{{#BARRED}}<h2><bdi>{{NAME}}</bdi></h2>
<p>{{WHY}}</p>{{/BARRED}}</li>
{{/ACCOUNT}}{{#HAS_ACCOUNTS}}</ul>
{{/HAS_ACCOUNTS}}
