{{%AUTOESCAPE context="HTML"}}
<h1>Delete <bdi>{{NAME}}</bdi>?</h1>
{{#SOMEBODY}}<p><strong>{{PEOPLE}} connected it, {{GRANTS}} in all.</strong> For all of them it stops working at once: every token ends, and so does what they allowed.</p>
{{/SOMEBODY}}{{#NOBODY}}<p>Nobody has it connected at the moment.</p>
{{/NOBODY}}<p>Its client ID, its secrets and its authorization link stop working; whoever opens the link reads that the application does not exist or was deleted. This cannot be undone.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="danger">Delete the application</button>
<a class="button" href="{{BACK}}">Keep it</a></p>
</form>
