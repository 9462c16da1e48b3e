<p class="way"><a href="{{LIST}}">Applications of <bdi>{{ACCOUNT}}</bdi></a></p>
<h1><bdi>{{NAME}}</bdi></h1>
{{#DONE_CREATED}}<p class="notice" role="status">The application is registered. Its credentials, and what to do with them, are below.</p>
{{/DONE_CREATED}}{{#DONE_SAVED}}<p class="notice" role="status">The changes are saved.</p>
{{/DONE_SAVED}}{{#DESCRIBED}}<blockquote><bdi class="clamp">{{DESCRIPTION}}</bdi></blockquote>
{{/DESCRIBED}}<p class="meta">Registered <time datetime="{{CREATED_EXACT}}" title="{{CREATED_FULL}}">{{CREATED}}</time> · {{PEOPLE}}</p>
<p><a class="button" href="{{EDIT}}">Edit</a></p>
<section aria-labelledby="credentials"><h2 id="credentials">Credentials</h2>
{{#OVERTAKEN}}<p class="problem" role="alert">Nothing was changed now: the secrets have changed since you opened the page. This is how they are.</p>
{{/OVERTAKEN}}{{#DONE_ROTATED}}<p class="notice" role="status">There is a new secret, and the old one is still valid.</p>
{{/DONE_ROTATED}}{{#DONE_RETIRED}}<p class="notice" role="status">The old secret is retired. It is no longer valid.</p>
{{/DONE_RETIRED}}<p><label for="client-id">Client ID</label>
<input id="client-id" class="code" value="{{CLIENT_ID}}" readonly spellcheck="false">
<button type="button" class="copy" data-copy="client-id" hidden>Copy the client ID</button></p>
{{#PUBLIC}}<p>It has no secret, because its users could read it. It sends only its client ID, and proves each request for access by PKCE.</p>
{{/PUBLIC}}{{#SECRET}}<p>{{#READABLE}}<label for="secret-{{NUMBER}}">{{LABEL}}{{#SINCE}}, since <time datetime="{{SINCE_EXACT}}" title="{{SINCE_FULL}}">{{SINCE}}</time>{{/SINCE}}{{#RETIRE}}; retire it when it is no longer used{{/RETIRE}}</label>
<input id="secret-{{NUMBER}}" class="code" value="{{VALUE}}" readonly spellcheck="false" autocomplete="off">
<button type="button" class="copy" data-copy="secret-{{NUMBER}}" hidden>Copy the secret</button>{{/READABLE}}{{#UNREADABLE}}<strong>{{LABEL}}</strong><br>It is valid, but it can no longer be shown. If you do not have it, create a new one.{{/UNREADABLE}}</p>
{{/SECRET}}{{#HIDDEN_SECRET}}{{#HIDDEN}}<p><strong>{{LABEL}}</strong>{{#SINCE}}, since <time datetime="{{SINCE_EXACT}}" title="{{SINCE_FULL}}">{{SINCE}}</time>{{/SINCE}}{{#RETIRE}}; retire it when it is no longer used{{/RETIRE}}</p>
{{/HIDDEN}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p><button>Show the client secret{{#TWO}}s{{/TWO}}</button><br><span class="meta">The audit log records who looked.</span></p>
</form>
{{/HIDDEN_SECRET}}{{#ONE_SECRET}}<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<input type="hidden" name="edition" value="{{EDITION}}">
<p><button>Create a new secret</button><br><span class="meta">The current secret stays valid until you retire it, so nothing breaks.</span></p>
</form>
{{/ONE_SECRET}}{{#TWO_SECRETS}}<p>To finish the change:</p>
<ol>
<li>Show the secrets, and copy the current one.</li>
<li>Let every copy of the application use it.</li>
<li>Retire the old one.</li>
</ol>
<p><a class="button" href="{{RETIRE}}">Retire the old secret</a></p>
{{/TWO_SECRETS}}</section>
{{#HAS_LINK}}<section aria-labelledby="link"><h2 id="link">Authorization link</h2>
<p class="meta" id="link-text">This link asks the user to allow or deny access.{{#PKCE}} This application requires PKCE: add <code>code_challenge</code> and <code>code_challenge_method=S256</code>.{{/PKCE}}</p>
<p><textarea id="authorization-link" readonly rows="4" spellcheck="false" aria-labelledby="link" aria-describedby="link-text">{{LINK}}</textarea>
<button type="button" class="copy" data-copy="authorization-link" hidden>Copy the link</button></p></section>
{{/HAS_LINK}}<section aria-labelledby="next"><h2 id="next">How to get a token</h2>
<p><a href="{{@DEVELOPER_OAUTH}}?application={{CLIENT_ID}}">Get one block by block</a>, with the values of this application filled in.</p>
<dl>
<dt>Authorization endpoint</dt>
<dd><code>{{AUTHORIZATION_ENDPOINT}}</code></dd>
<dt>Token endpoint</dt>
<dd><code>{{TOKEN_ENDPOINT}}</code></dd>
<dt>Revocation endpoint</dt>
<dd><code>{{REVOCATION_ENDPOINT}}</code></dd>
<dt>API</dt>
<dd><code>{{API}}</code></dd>
</dl>
<p>Access ends when the user revokes it, at Settings → Connected applications. To end tokens yourself, send one of them to the revocation endpoint.</p>
<details{{#STEPS_OPEN}} open{{/STEPS_OPEN}}><summary>Step by step</summary>
<ol>
{{#HAS_LINK}}<li><p>Send a user to the authorization link. Add a random <code>state</code>, and check that the answer has the same.</p></li>
{{/HAS_LINK}}{{#PUBLIC}}<li><p>Make a random <code>code_verifier</code> of 43 to 128 letters and digits, and open the authorization endpoint in the user's browser: with <code>response_type=code</code>, <code>client_id</code>, <code>redirect_uri</code>, a random <code>state</code>, <code>code_challenge_method=S256</code> and <code>code_challenge</code>, the SHA-256 of the verifier in base64url without <code>=</code>. Check that the answer has the same <code>state</code>.</p></li>
{{/PUBLIC}}<li><p>When the user has allowed it, the browser comes to <code>{{REDIRECT_URI}}</code> with the parameter <code>code</code>. Without access it comes with <code>error</code> instead. If nothing answers there yet, the browser shows that it cannot connect: the code is then in the address bar, after <code>code=</code> and up to the next <code>&amp;</code>.</p></li>
<li><p>In these commands, each word that begins with <code>$</code> is a variable of your shell. {{#HAS_LINK}}Set <code>CLIENT_SECRET</code> with <code>read -rs CLIENT_SECRET</code>: it waits until you have pasted the secret and pressed Enter, and leaves it in no history. {{/HAS_LINK}}Set <code>CODE</code> to the code{{#PKCE}}; <code>CODE_VERIFIER</code> is what your <code>code_challenge</code> was made of{{/PKCE}}.</p>
<p id="exchange-text">Exchange the code for tokens. It is valid for {{CODE_LIVES}} and works once:</p>
<p><textarea id="exchange" readonly rows="4" spellcheck="false" aria-labelledby="exchange-text">{{EXCHANGE}}</textarea>
<button type="button" class="copy" data-copy="exchange" hidden>Copy</button></p></li>
{{#SEES}}<li><p id="use-text">Use the tokens. <code>ACCESS_TOKEN</code> is the <code>access_token</code> of the answer, <code>MEDIA_ID</code> the id of a video, which is the last part of its address, <code>{{MEDIA_PAGE}}</code>:</p>
<p><textarea id="use" readonly rows="2" spellcheck="false" aria-labelledby="use-text">{{USE}}</textarea>
<button type="button" class="copy" data-copy="use" hidden>Copy</button></p></li>
{{/SEES}}<li><p id="renew-text">When it has expired (<code>expires_in</code>, in seconds), get another. <code>REFRESH_TOKEN</code> is the <code>refresh_token</code> of the {{#HAS_LINK}}first answer, which stays the same{{/HAS_LINK}}{{#PUBLIC}}last answer. It works once: keep the new one of each answer{{/PUBLIC}}:</p>
<p><textarea id="renew" readonly rows="3" spellcheck="false" aria-labelledby="renew-text">{{RENEW}}</textarea>
<button type="button" class="copy" data-copy="renew" hidden>Copy</button></p></li>
</ol></details></section>
<section aria-labelledby="redirect"><h2 id="redirect">Redirect URIs</h2>
<ul class="list">
{{#URI}}<li><code>{{URI}}</code></li>
{{/URI}}</ul></section>
<section aria-labelledby="permissions"><h2 id="permissions">Permissions</h2>
<ul class="list">
{{#SCOPE}}<li><strong>{{TITLE}}</strong> <code>{{VALUE}}</code><br>{{TEXT}}</li>
{{/SCOPE}}</ul>
{{#ADVANCED}}<p>{{TEXT}}</p>
{{/ADVANCED}}</section>
<section aria-labelledby="delete"><h2 id="delete">Delete</h2>
<p>The application stops working immediately, for all its users. You are asked to confirm.</p>
<p><a class="button" href="{{DELETE}}">Delete this application</a></p></section>
