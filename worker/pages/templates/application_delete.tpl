<script src="/assets/deliberate.js"></script>
<h1>Delete <bdi>{{NAME}}</bdi>?</h1>
{{#SOMEBODY}}<p><strong>It has {{CONNECTIONS}}</strong>, each of one user to one account. All of them end immediately: the application stops working, every token ends, and so does the access that users allowed.</p>
{{/SOMEBODY}}{{#NOBODY}}<p>It has no connections at the moment.</p>
{{/NOBODY}}<p>Its client ID, its secrets and its authorization link stop working; users who open the link read that the application does not exist or was deleted. This cannot be undone.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="danger">Delete the application</button>
<a class="button" href="{{BACK}}">Keep it</a></p>
</form>
