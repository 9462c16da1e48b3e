<h1>{{TITLE}}</h1>
<p class="lead">A script, a service and an agent work without a user in front of a browser of theirs. Each gets its token in another way.</p>
<h2 id="scripts">A script of yours</h2>
<p>The shortest way to a token: you make it by hand. It acts for you, in one account.</p>
<ol>
<li>Log in, and open <a href="{{@SETTINGS}}">the settings</a>. Choose the account tokens of an account that you own or manage.</li>
<li>Give the token a name, the permissions that the script needs, and an end. Then choose “Create token”.</li>
<li>Copy it: it is shown once. Store it where only the script reads it.</li>
</ol>
<p>With the token in place of <code>svcp_…</code>, this prints your three newest media:</p>
{{BLOCK_SCRIPT}}
<p>After a 401 with <code>invalid_token</code> the token has ended: you, its end or the operator ended it, or you may not manage the account any more.</p>
<h2 id="services">A service without a user</h2>
<p>A service acts for itself, by the grant type <code>client_credentials</code>. Its access does not end when a person leaves.</p>
<ol>
<li><a href="{{@DEVELOPER_OAUTH}}#register">Register an application</a> that is a program on a server. It needs a redirect URI, also if it never asks a user: take an <code>https</code> address of yours.</li>
<li>Ask the operator of this service to let it act for its account. The operator runs, with your client id:</li>
</ol>
{{BLOCK_SERVICE_ALLOWED}}
<p>Then the service gets a token with its client id and secret:</p>
{{BLOCK_SERVICE}}
<p>The token is valid for {{ACCESS_LIFETIME}}. There is no refresh token: then, or after a 401 with <code>invalid_token</code>, ask again in the same way.</p>
<h2 id="agents">A server for agents (MCP)</h2>
<p>Agents call tools of a server that speaks the Model Context Protocol. With the one below, an agent lists the newest media of your account, once a user of the account has allowed it. Agents find their way by themselves: a 401 of your server names its metadata, which names this service, where the user logs in.</p>
<ol>
<li>Choose the address of your server, which is its resource, such as <code>https://mcp.example/mcp</code>. The operator of this service registers it for your account:</li>
</ol>
{{BLOCK_MCP_REGISTERED}}
<p>This prints the client id and the secret with which your server asks whether a token of an agent is valid.</p>
<ol start="2">
<li>Make an <a href="#scripts">account token</a> with the permission “See media”: your server reads the data API with it. The token of an agent is for your server only, and is never passed on.</li>
<li>Save this as <code>media_server.py</code>. It is complete, in Python without packages:</li>
</ol>
{{BLOCK_MCP_SERVER}}
<ol start="4">
<li>Run it behind your web server, which has the certificate:</li>
</ol>
{{BLOCK_MCP_RUN}}
<ol start="5">
<li>Give the agent the address of your server. An agent needs a client id here: <a href="{{@DEVELOPER_OAUTH}}#public">register</a> it as a program on a device. If <a href="{{METADATA_URL}}">the metadata</a> has <code>client_id_metadata_document_supported</code>, agents that bring a document of their own need none.</li>
</ol>
<p>The server lists the media of your account for users who may see them: it refuses a token that is for another server, of another account, or without <code>media:read</code>, and each request of a page of another site.</p>
<p>The agent sends <code>resource</code>, the address of your server, with its authorization request, and gets a token that the data API refuses.</p>
