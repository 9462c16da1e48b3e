<h1>{{TITLE}}</h1>
<p class="lead">Send the address of a film, and get its embed code: for editors, chats and sites that turn links into players.</p>
<h2 id="request">Request</h2>
<p>No key and no login are needed, and scripts of any page may ask:</p>
{{BLOCK_OEMBED}}
<h2 id="response">Response</h2>
<p>JSON, or XML with <code>format=xml</code>. <code>html</code> is the code to put into the page, <code>width</code> and <code>height</code> are its size:</p>
{{BLOCK_OEMBED_ANSWER}}
<p>Keys that a film has no value for are absent.</p>
<h2 id="parameters">Parameters</h2>
<dl class="options">
{{#PARAMETER}}<dt>{{NAME}}</dt>
<dd>{{TEXT}}</dd>
{{/PARAMETER}}</dl>
<p>All but <code>url</code>, <code>format</code> and <code>callback</code> may also be in the query of the film’s address. <a href="{{@DEVELOPERS}}/player#options">All options of the player</a> are parameters:</p>
{{BLOCK_OEMBED_OPTIONS}}
<h2 id="private-films">Private films</h2>
<p>Who may watch a private film has a link to it, such as <code>/medias/…?watch=…</code>. Send the address as it is: the code works as long as the link. Without a link the answer is 401.</p>
<h2 id="discovery-links">Discovery</h2>
<p>The page of each film names its oEmbed addresses in its head, so a consumer needs no list of providers:</p>
{{BLOCK_DISCOVERY}}
<p>The entry for registries of providers is at <a href="{{PROVIDERS_URL}}">{{PROVIDERS_URL}}</a>.</p>
<h2 id="oembed-errors">Errors</h2>
<p>An error is <code>{"error":"…"}</code> alone:</p>
<dl class="statuses">
{{#OEMBED_STATUS}}<dt>{{NAME}}</dt>
<dd>{{TEXT}}</dd>
{{/OEMBED_STATUS}}</dl>
