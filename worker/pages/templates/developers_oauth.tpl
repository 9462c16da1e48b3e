<h1>{{TITLE}}</h1>
<p class="lead">Your program acts for a user who allows it, by OAuth 2: the authorization code flow with PKCE. All lines run in one shell, one block after the other. A script of your own needs only <a href="{{@DEVELOPERS}}/scripts">an account token</a>.</p>
<h2 id="register">1. Register an application</h2>
<ol>
<li>Log in, and open <a href="{{@SETTINGS}}">the settings</a>. You need an account that you own or manage, and in which OAuth is enabled.</li>
<li>Choose the applications of the account, then “New application”.</li>
<li>Choose what it is. Only a program on a server can keep a secret: see <a href="#public">browsers and devices</a> for the others.</li>
<li>Give it a name that users recognise, its redirect URIs and the scopes that it needs. A redirect URI is where the browser brings the code: an <code>https</code> address, or <code>http://127.0.0.1</code> with any port for a program on the user’s machine. To try it, use <code>{{REDIRECT_URI}}</code>.</li>
<li>Copy its client id and, if it has one, its secret. Store the secret where only your program reads it.</li>
</ol>
<h2 id="values-of-yours">2. Set its values</h2>
{{#CHOICE}}<form method="get" action="{{@DEVELOPER_OAUTH}}#values-of-yours" class="choose">
<label for="application">Your application</label>
<select id="application" name="application">
{{#APPLICATION}}<option value="{{ID}}"{{#SELECTED}} selected{{/SELECTED}}>{{NAME}}</option>
{{/APPLICATION}}</select>
<button>Fill in its values</button>
</form>
{{#CHOSEN_SECRET}}<p>Only the secret is missing: the page of the application shows it.</p>
{{/CHOSEN_SECRET}}{{#CHOSEN_PUBLIC}}<p>This application has no secret: in step 5, use the block of <a href="#public">browsers and devices</a>.</p>
{{/CHOSEN_PUBLIC}}{{/CHOICE}}{{#NO_APPLICATION}}<p class="notice">You have no application yet. Once there is one, its values are filled in here.</p>
{{/NO_APPLICATION}}{{#LOGGED_OUT}}<p class="notice">If you are <a href="{{@SETTINGS}}">logged in</a>, the values of your application are filled in here.</p>
{{/LOGGED_OUT}}{{BLOCK_VALUES}}
<h2 id="ask-the-user">3. Ask the user</h2>
<p>Make a verifier for this authorization, and a random state:</p>
{{BLOCK_PROOF}}
<p>Send the user’s browser to this address. With <code>scope</code> it asks for less than the application may, such as <code>scope=media:read</code>:</p>
{{BLOCK_AUTHORIZE}}
<p>Open the address. The user logs in, chooses an account and allows it.</p>
<h2 id="take-the-code">4. Take the code</h2>
<p>The browser comes back to your redirect URI with <code>code</code> and <code>state</code>. If nothing listens there yet, the browser shows that it cannot connect: that is fine. The code lives only {{CODE_LIFETIME}}, so have the shell at hand. Run this, paste the whole address from the address bar, and press Enter:</p>
{{BLOCK_ANSWER}}
<p>Check that the state is yours, and take the code:</p>
{{BLOCK_CODE}}
<h2 id="exchange-the-code">5. Exchange it for tokens</h2>
<p>A code is exchanged once. The last lines keep both tokens for the blocks below:</p>
{{BLOCK_EXCHANGE}}
<p>The response has <code>access_token</code> and <code>refresh_token</code>, in JSON, and <code>scope</code>: one text with spaces between the names, as OAuth libraries expect. Applications with the setting “A list of names”, which once was the default, get a list. Whoever has such an application can change the setting at any time.</p>
<h2 id="use">6. Use it</h2>
<p>Send the access token with each request:</p>
{{BLOCK_FIRST_USE}}
<p>Done. <a href="{{@DEVELOPERS}}/api">The API reference</a> has all operations, with a command for each.</p>
<h2 id="refresh-tokens">Refresh</h2>
<p>The access token is valid for {{ACCESS_LIFETIME}}. Then, or after a 401 with <code>invalid_token</code>, get another one. The refresh token stays the same, and ends if it is not used for {{REFRESH_LIFETIME}}:</p>
{{BLOCK_REFRESH}}
<h2 id="revoke-access">Revoke</h2>
<p>If the user disconnects from your application, revoke it:</p>
{{BLOCK_REVOKE}}
<p>Users can end the access in their settings at any time.</p>
<h2 id="public">Browsers and devices</h2>
<p>A browser application, and a desktop, phone or command-line program, has no secret. Send the user’s browser to the same address as above, with a verifier and a state of this user. The program on a device listens on <code>http://127.0.0.1</code> with any free port, or registers a scheme such as <code>com.example.app:/callback</code>, a domain of yours in reverse order. Exchange the code with the client id alone, and no <code>Authorization</code> header:</p>
{{BLOCK_PUBLIC_EXCHANGE}}
<p>Each refresh token works once. Store the new one of the response before you use the access token:</p>
{{BLOCK_PUBLIC_REFRESH}}
<p>If no response came, send the same request again within 60 seconds: it has the same tokens. A used refresh token that comes later, or after the new one, ends the access of this installation, because somebody may have stolen it. The user is asked again after {{PUBLIC_IDLE}} without a refresh, or {{PUBLIC_LIFETIME}} after the exchange.</p>
<h2 id="browsers">A browser application</h2>
<p>A complete page without libraries. Register a browser application whose redirect URI is the address of this page, on <code>https</code> or a <code>localhost</code> with its port, and write its client id into the page:</p>
{{BLOCK_BROWSER}}
<p>Scripts may read the tokens only on the origin of a redirect URI of the application (on <code>localhost</code>, <code>127.0.0.1</code> and <code>[::1]</code>, with any port), and no cookie is sent. Keep the tokens in variables: what is stored in the browser can be read by every script of the origin.</p>
<h2 id="devices">A program on a device</h2>
<p>A complete desktop or command-line program, in Python without packages. Register a desktop, phone or command-line program with the redirect URI <code>http://127.0.0.1/callback</code>, save this as <code>account.py</code>, and run <code>python3 account.py</code> with the client id of the application:</p>
{{BLOCK_DEVICE}}
<p>It opens the user’s browser, waits for the answer on a free port of the device, and exchanges the code. A program that stays logged in stores the refresh token where only this user reads it.</p>
<h2 id="scopes">Scopes</h2>
<p>An application can ask for those that it was registered with.</p>
<dl class="scope-rows">
{{#SCOPE_ROW}}<dt><code>{{NAME}}</code> {{TITLE}}</dt>
<dd>{{TEXT}}</dd>
{{/SCOPE_ROW}}</dl>
<h2 id="libraries">Client libraries</h2>
<p>Libraries find all addresses in the server’s metadata (RFC 8414): <a href="{{METADATA_URL}}">{{METADATA_URL}}</a></p>
