<h1>Account tokens of <bdi>{{ACCOUNT}}</bdi></h1>
<p class="notice">{{#DISABLED}}Tokens cannot be made here, because OAuth is not enabled for this account. Ask the operator of this service to enable it.{{/DISABLED}}{{#ONLY_A_USER}}Only the owners and managers of this account see and make its tokens: ask one of them.{{/ONLY_A_USER}}</p>
