<h1>For developers</h1>
<p>A program can read, upload and change the media of an account on behalf of a user who allows it. This page describes how, from the registration to each operation.</p>
<p>For tools, the same is an OpenAPI 3.1 document: <a href="{{DOCUMENT_URL}}">{{DOCUMENT_URL}}</a></p>
<nav aria-label="Contents">
<h2>Contents</h2>
<ul>
<li><a href="#register">Register an application</a></li>
<li><a href="#token">Get a token</a></li>
<li><a href="#use">Use, refresh and revoke it</a></li>
<li><a href="#public">Browsers and devices</a></li>
<li><a href="#scopes">Scopes</a></li>
{{#CHAPTER_LINK}}<li><a href="#{{PLACE}}">{{TITLE}}</a></li>
{{/CHAPTER_LINK}}{{#CONTENTS}}<li><a href="#{{PLACE}}">{{TITLE}}</a>
<ul>
{{#LINK}}<li><a href="#{{PLACE}}">{{SUMMARY}}</a></li>
{{/LINK}}</ul></li>
{{/CONTENTS}}<li><a href="#records">Records</a></li>
</ul>
</nav>
<section aria-labelledby="register"><h2 id="register">Register an application</h2>
<ol>
<li>Log in, and open <a href="{{@SETTINGS}}">Settings</a>. You need an account that you own or manage, and in which OAuth is enabled.</li>
<li>Choose the applications of the account, then “New application”.</li>
<li>Choose what it is. Only a program on a server can keep a secret: see <a href="#public">browsers and devices</a> for the others.</li>
<li>Give it a name that users recognise, its redirect URIs and the scopes that it needs. A redirect URI is where the browser brings the code: an <code>https</code> address, or <code>http://127.0.0.1</code> with any port for a program on the user’s machine.</li>
<li>Store its client id and, if it has one, its secret where only your program reads them.</li>
</ol></section>
<section aria-labelledby="token"><h2 id="token">Get a token</h2>
<p>With the authorization code flow and PKCE. These lines run in one shell; put in the values of your application first.</p>
<pre><code>client_id=…
client_secret=…
redirect_uri=http://127.0.0.1:9090/callback</code></pre>
<p>Make a verifier for this authorization, and a random state:</p>
<pre><code>verifier=$(openssl rand -hex 32)
challenge=$(printf %s "$verifier" | openssl dgst -sha256 -binary | openssl base64 | tr '+/' '-_' | tr -d '=')
state=$(openssl rand -hex 16)</code></pre>
<p>Send the user’s browser to this address. With <code>scope</code> it asks for less than the application may, such as <code>scope=media:read</code>:</p>
<pre><code>echo "{{AUTHORIZE_URL}}?response_type=code&amp;client_id=$client_id&amp;redirect_uri=$redirect_uri&amp;code_challenge=$challenge&amp;code_challenge_method=S256&amp;state=$state"</code></pre>
<p>The user logs in, chooses an account and allows it. The browser comes back to your redirect URI with <code>code</code> and <code>state</code>. Check that the state is yours. Exchange the code once, within {{CODE_LIFETIME}}, here as <code>$code</code>:</p>
<pre><code class="curl" id="exchange">curl -fsS "{{TOKEN_URL}}" -u "$client_id:$client_secret" \
  -d grant_type=authorization_code -d "redirect_uri=$redirect_uri" \
  -d "code=$code" -d "code_verifier=$verifier"</code></pre>
<p>The response has <code>access_token</code> and <code>refresh_token</code>, below as <code>$token</code> and <code>$refresh_token</code>. <code>$media</code>, <code>$project</code> and other names stand for ids of your records: lists have them as <code>hashed_id</code>, those of projects as <code>hashedId</code>.</p></section>
<section aria-labelledby="use"><h2 id="use">Use, refresh and revoke it</h2>
<p>Send the access token with each request:</p>
<pre><code class="curl" id="first-use">curl -fsS "{{ACCOUNT_URL}}" -H "Authorization: Bearer $token"</code></pre>
<p>It is valid for {{ACCESS_LIFETIME}}. Then, or after a 401 with <code>invalid_token</code>, get another one. The refresh token stays the same, and ends if it is not used for {{REFRESH_LIFETIME}}:</p>
<pre><code class="curl" id="refresh">curl -fsS "{{TOKEN_URL}}" -u "$client_id:$client_secret" \
  -d grant_type=refresh_token \
  -d "refresh_token=$refresh_token"</code></pre>
<p>If the user disconnects from your application, revoke it:</p>
<pre><code class="curl" id="revoke">curl -fsS "{{REVOKE_URL}}" -u "$client_id:$client_secret" -d "token=$refresh_token"</code></pre>
<p>Users can end the access under Settings at any time. Client libraries find all addresses in the server’s metadata: <a href="{{METADATA_URL}}">{{METADATA_URL}}</a></p></section>
<section aria-labelledby="public"><h2 id="public">Browsers and devices</h2>
<p>A browser application, and a desktop, phone or command-line program, has no secret. Send the user’s browser to the same address as above, with a verifier and a state of this user. The program on a device listens on <code>http://127.0.0.1</code> with any free port, or registers a scheme such as <code>com.example.app:/callback</code>, a domain of yours in reverse order. Exchange the code with the client id alone, and no <code>Authorization</code> header:</p>
<pre><code class="curl" id="public-exchange">curl -fsS "{{TOKEN_URL}}" -d "client_id=$client_id" \
  -d grant_type=authorization_code -d "redirect_uri=$redirect_uri" \
  -d "code=$code" -d "code_verifier=$verifier"</code></pre>
<p>Each refresh token works once. Store the new one of the response before you use the access token:</p>
<pre><code class="curl" id="public-refresh">curl -fsS "{{TOKEN_URL}}" -d "client_id=$client_id" \
  -d grant_type=refresh_token \
  -d "refresh_token=$refresh_token"</code></pre>
<p>If no response came, send the same request again within 60 seconds: it has the same tokens. A used refresh token that comes later, or after the new one, ends the access of this installation, because somebody may have stolen it. The user is asked again after {{PUBLIC_IDLE}} without a refresh, or {{PUBLIC_LIFETIME}} after the exchange.</p></section>
<section aria-labelledby="scopes"><h2 id="scopes">Scopes</h2>
<p>An application can ask for those that it was registered with.</p>
<dl>
{{#SCOPE_ROW}}<dt><code>{{NAME}}</code> {{TITLE}}</dt>
<dd>{{TEXT}}</dd>
{{/SCOPE_ROW}}</dl></section>
{{#CHAPTER}}<section aria-labelledby="{{PLACE}}"><h2 id="{{PLACE}}">{{TITLE}}</h2>
{{#PARAGRAPH}}<p>{{TEXT}}</p>
{{/PARAGRAPH}}{{#CODES}}<table><thead><tr><th scope="col">Code</th><th scope="col">Status</th></tr></thead>
<tbody>
{{#CODE}}<tr><td><code>{{NAME}}</code></td><td>{{STATUS}}</td></tr>
{{/CODE}}</tbody></table>
{{/CODES}}</section>
{{/CHAPTER}}{{#GROUP}}<section aria-labelledby="{{PLACE}}"><h2 id="{{PLACE}}">{{TITLE}}</h2>
{{#OPERATION}}<div class="detail"><h3 id="{{PLACE}}">{{SUMMARY}}</h3>
<p><code>{{METHOD}} {{PATH}}</code></p>
{{#ABOUT}}<p>{{TEXT}}</p>
{{/ABOUT}}<p>{{#OPEN}}Without a token.{{/OPEN}}{{#ANY_SCOPE}}With a token of any scope.{{/ANY_SCOPE}}{{#SCOPES}}With {{#SEVERAL}}one of {{/SEVERAL}}the scope{{#SEVERAL}}s{{/SEVERAL}}{{#SCOPE}} <code>{{NAME}}</code>{{/SCOPE}}.{{/SCOPES}}</p>
<pre><code class="curl" id="curl-{{PLACE}}">{{CURL}}</code></pre>
{{#PARAMETERS}}<h4>Parameters</h4>
<dl>
{{#FIELD}}<dt><code>{{NAME}}</code>{{#MARK}} <span class="meta">{{WORDS}}</span>{{/MARK}}</dt>
<dd>{{#SAID}}{{ABOUT}} {{/SAID}}<span class="meta">{{TYPE}}</span></dd>
{{/FIELD}}</dl>
{{/PARAMETERS}}{{#BODY}}<h4>Fields of the body</h4>
<dl>
{{#FIELD}}<dt><code>{{NAME}}</code>{{#MARK}} <span class="meta">{{WORDS}}</span>{{/MARK}}</dt>
<dd>{{#SAID}}{{ABOUT}} {{/SAID}}<span class="meta">{{TYPE}}</span></dd>
{{/FIELD}}</dl>
{{/BODY}}<h4>Responses</h4>
<dl class="statuses">
{{#STATUS}}<dt><code>{{NUMBER}}</code></dt>
<dd>{{TEXT}}</dd>
{{/STATUS}}</dl></div>
{{/OPERATION}}</section>
{{/GROUP}}<section aria-labelledby="records"><h2 id="records">Records</h2>
{{#RECORD}}<div class="detail"><h3 id="{{PLACE}}">{{NAME}}</h3>
<p>{{ABOUT}}</p>
{{#FIELDS}}<dl>
{{#FIELD}}<dt><code>{{NAME}}</code>{{#MARK}} <span class="meta">{{WORDS}}</span>{{/MARK}}</dt>
<dd>{{#SAID}}{{ABOUT}} {{/SAID}}<span class="meta">{{TYPE}}</span></dd>
{{/FIELD}}</dl>
{{/FIELDS}}</div>
{{/RECORD}}</section>
