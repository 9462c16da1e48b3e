{{%AUTOESCAPE context="HTML"}}
<h1>Delete <bdi>{{NAME}}</bdi>?</h1>
{{#SOMEBODY}}<p><strong>{{PEOPLE}} connected it.</strong> For all of them it stops working at once: every token ends, and so does what they allowed.</p>
{{/SOMEBODY}}{{#NOBODY}}<p>Nobody has it connected now.</p>
{{/NOBODY}}<p>Its client ID, its secrets and its authorization link stop working. This cannot be taken back.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="danger">Delete the application</button>
<a class="button" href="{{BACK}}">Keep it</a></p>
</form>
