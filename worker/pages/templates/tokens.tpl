<p class="way"><a href="{{@SETTINGS}}">Settings</a></p>
<h1>Account tokens of <bdi>{{ACCOUNT}}</bdi></h1>
{{#DONE_ENDED}}<p class="notice" role="status">The token is revoked. It no longer has access to anything.</p>
{{/DONE_ENDED}}{{#HAS_PROBLEMS}}<div class="problem" role="alert" tabindex="-1" autofocus><p>Nothing has been changed yet:</p><ul>
{{/HAS_PROBLEMS}}{{#SUMMARY}}<li><a href="#{{FIELD}}">{{PROBLEM}}</a></li>
{{/SUMMARY}}{{#HAS_PROBLEMS}}</ul></div>
{{/HAS_PROBLEMS}}{{#PROBLEM}}<p class="problem" role="alert">{{PROBLEM}}</p>
{{/PROBLEM}}{{#MADE}}<section class="notice" role="status" aria-labelledby="made"><h2 id="made">Your new token</h2>
<p><label for="token">{{NAME}}</label>
<input id="token" class="code" value="{{VALUE}}" readonly spellcheck="false" autocomplete="off">
<button type="button" class="copy" data-copy="token" hidden>Copy the token</button></p>
<p>Copy it now: it is never shown again.</p></section>
{{/MADE}}<p>Scripts and tools of this account can use the API with a token, without an application. A token acts for the user who made it, and stops working when that user may no longer manage this account. Send it as <code>Authorization: Bearer</code>, for example to <code>{{API}}</code>.</p>
{{#EMPTY}}<p class="empty">There is no token yet.</p>
{{/EMPTY}}{{#TO_NEW}}<p><a class="button" href="#new">New token</a></p>
{{/TO_NEW}}{{#FULL}}<ul class="list">
{{/FULL}}{{#ONE}}<li class="entry"><div><h2><bdi>{{NAME}}</bdi></h2>
<p>Acts for <strong><bdi>{{PERSON}}</bdi></strong>{{#BARRED}} · <strong>not in effect:</strong> this user may not use the API for the account at the moment{{/BARRED}}</p>
<ul>
{{#SCOPE}}<li>{{TITLE}} <span class="meta">– {{TEXT}}</span></li>
{{/SCOPE}}</ul>
<p class="meta">Made <time datetime="{{CREATED_EXACT}}" title="{{CREATED_FULL}}">{{CREATED}}</time> · {{#UNTIL}}expires <time datetime="{{EXPIRES_EXACT}}" title="{{EXPIRES_FULL}}">{{EXPIRES}}</time>{{/UNTIL}}{{#FOR_EVER}}never expires{{/FOR_EVER}} · {{#USED}}last used <time datetime="{{USED_EXACT}}" title="{{USED_FULL}}">{{USED}}</time>{{/USED}}{{#UNUSED}}not used yet{{/UNUSED}}</p></div>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><button class="danger">Revoke<span class="unseen">: {{NAME}}</span></button></p>
</form></li>
{{/ONE}}{{#LIST_END}}</ul>
{{/LIST_END}}<section aria-labelledby="new"><h2 id="new" tabindex="-1">New token</h2>
<form method="post" action="{{ACTION}}" accept-charset="utf-8">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><label for="name">Name</label>
<input id="name" name="name" value="{{ENTERED_NAME}}" required maxlength="{{MOST}}" autocomplete="off" dir="auto" aria-describedby="name-hint{{#NAME_WRONG}} name-problem{{/NAME_WRONG}}"{{#NAME_WRONG}} aria-invalid="true"{{/NAME_WRONG}}>
<span class="meta" id="name-hint">What it is for, so that you know later which one to revoke.</span>
{{#NAME_PROBLEM}}<span class="field-problem" id="name-problem">{{PROBLEM}}</span>{{/NAME_PROBLEM}}</p>
<fieldset id="scopes" tabindex="-1"{{#SCOPES_WRONG}} aria-describedby="scopes-problem"{{/SCOPES_WRONG}}><legend>Permissions</legend>
{{#CHOICE}}<label class="choice"><input type="checkbox" name="scope" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> <span><strong>{{TITLE}}</strong> <code>{{VALUE}}</code><br>{{TEXT}}</span></label>
{{/CHOICE}}{{#SCOPES_PROBLEM}}<span class="field-problem" id="scopes-problem">{{PROBLEM}}</span>{{/SCOPES_PROBLEM}}</fieldset>
<fieldset id="expires" tabindex="-1"{{#EXPIRES_WRONG}} aria-describedby="expires-problem"{{/EXPIRES_WRONG}}><legend>Expires after</legend>
{{#DAYS}}<label class="choice"><input type="radio" name="expires" value="{{VALUE}}"{{#CHECKED}} checked{{/CHECKED}}> <span>{{LABEL}}{{#CAUTION}}<br><span class="caution">A token that never expires works until someone revokes it, also if it is stolen.</span>{{/CAUTION}}</span></label>
{{/DAYS}}{{#EXPIRES_PROBLEM}}<span class="field-problem" id="expires-problem">{{PROBLEM}}</span>{{/EXPIRES_PROBLEM}}</fieldset>
{{#PASSWORD}}<p hidden><label for="username">Email address</label><input id="username" type="email" value="{{EMAIL}}" autocomplete="username" readonly></p>
<p><label for="password">Your password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required{{#PASSWORD_WRONG}} aria-invalid="true" aria-describedby="password-problem"{{/PASSWORD_WRONG}}>
{{#PASSWORD_PROBLEM}}<span class="field-problem" id="password-problem">{{PROBLEM}}</span>{{/PASSWORD_PROBLEM}}</p>
{{/PASSWORD}}<p class="answers"><button class="primary">Create token</button></p>
</form></section>
{{#PASTE}}<section aria-labelledby="end"><h2 id="end">Revoke a token that you have found</h2>
<p>Paste a token to revoke it, if you do not know its name.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><label for="found">Token</label>
<input id="found" name="token" class="code" required autocomplete="off" spellcheck="false"{{#FOUND_WRONG}} aria-invalid="true" aria-describedby="found-problem"{{/FOUND_WRONG}}>
{{#FOUND_PROBLEM}}<span class="field-problem" id="found-problem">{{PROBLEM}}</span>{{/FOUND_PROBLEM}}</p>
<p><button class="danger">Revoke token</button></p>
</form></section>
{{/PASTE}}
