{{%AUTOESCAPE context="HTML"}}
<p class="meta"><a href="{{LIST}}">OAuth applications of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1><bdi>{{NAME}}</bdi></h1>
{{#DONE_CREATED}}<p class="notice" role="status">The application is registered. What it needs is below.</p>
{{/DONE_CREATED}}{{#DONE_SAVED}}<p class="notice" role="status">The changes are saved.</p>
{{/DONE_SAVED}}{{#DESCRIBED}}<blockquote><bdi class="clamp">{{DESCRIPTION}}</bdi></blockquote>
{{/DESCRIBED}}<p class="meta">Registered <time datetime="{{CREATED_EXACT}}" title="{{CREATED_FULL}}">{{CREATED}}</time> · {{PEOPLE}}</p>
<p><a class="button" href="{{EDIT}}">Edit</a></p>
<section aria-labelledby="credentials"><h2 id="credentials">Credentials</h2>
{{#OVERTAKEN}}<p class="problem" role="alert">Nothing was changed now: the secrets have changed since you opened the page before. This is how they are.</p>
{{/OVERTAKEN}}{{#DONE_ROTATED}}<p class="notice" role="status">There is a new secret. The older one is still right, until you end it.</p>
{{/DONE_ROTATED}}{{#DONE_RETIRED}}<p class="notice" role="status">The older secret has ended.</p>
{{/DONE_RETIRED}}<p><label for="client-id">Client ID</label>
<input id="client-id" class="code" value="{{CLIENT_ID}}" readonly spellcheck="false">
<button type="button" class="copy" data-copy="client-id" hidden>Copy the client ID</button></p>
{{#SECRET}}<p>{{#READABLE}}<label for="secret-{{NUMBER}}">{{LABEL}}</label>
<input id="secret-{{NUMBER}}" class="code" value="{{VALUE}}" readonly spellcheck="false" autocomplete="off">
<button type="button" class="copy" data-copy="secret-{{NUMBER}}" hidden>Copy the secret</button>{{/READABLE}}{{#UNREADABLE}}<strong>{{LABEL}}</strong><br>It works, but it cannot be shown any more. If you do not have it, make a new one.{{/UNREADABLE}}</p>
{{/SECRET}}{{#HIDDEN_SECRET}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p>{{#TWO}}Two client secrets are right. {{/TWO}}<button>Show the client secret{{#TWO}}s{{/TWO}}</button><br><span class="meta">It is written down that you looked.</span></p>
</form>
{{/HIDDEN_SECRET}}{{#ONE_SECRET}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<p><button>Make a new secret</button><br><span class="meta">The present one stays right beside it until you end it, so that nothing breaks.</span></p>
</form>
{{/ONE_SECRET}}{{#TWO_SECRETS}}<p><a class="button" href="{{RETIRE}}">End the older secret</a><br><span class="meta">Once the application uses the newer one.</span></p>
{{/TWO_SECRETS}}</section>
<section aria-labelledby="link"><h2 id="link">Authorization link</h2>
<p class="meta" id="link-text">Whoever opens it is asked whether the application may have access.</p>
<p><textarea id="authorization-link" readonly rows="4" spellcheck="false" aria-labelledby="link" aria-describedby="link-text">{{LINK}}</textarea>
<button type="button" class="copy" data-copy="authorization-link" hidden>Copy the link</button></p></section>
<section aria-labelledby="redirect"><h2 id="redirect">Redirect URI</h2>
<p><code>{{REDIRECT_URI}}</code></p></section>
<section aria-labelledby="permissions"><h2 id="permissions">Permissions</h2>
<ul class="list">
{{#SCOPE}}<li><strong>{{TITLE}}</strong> <code>{{VALUE}}</code><br>{{TEXT}}</li>
{{/SCOPE}}</ul></section>
<section aria-labelledby="delete"><h2 id="delete">Delete</h2>
<p>It stops working at once, for everybody who uses it. You are asked once more.</p>
<p><a class="button" href="{{DELETE}}">Delete this application</a></p></section>
