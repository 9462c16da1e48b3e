{{%AUTOESCAPE context="HTML"}}
<h1>Connected applications</h1>
{{#DONE_REVOKED}}<p class="notice" role="status">Access is revoked. The application can no longer use it, from this moment on.</p>
{{/DONE_REVOKED}}{{#EMPTY}}<p>No application is connected. When one asks you for access and you allow it, it is listed here, and you can end its access here.</p>
{{/EMPTY}}{{#FULL}}<p>These applications have the access that you allowed. You can end it whenever you want.</p>
<ul class="list">
{{/FULL}}{{#GRANT}}<li><h2><bdi>{{CLIENT}}</bdi></h2>
<p>Has access to <strong><bdi>{{ACCOUNT}}</bdi></strong>{{#DEVELOPED}} <span class="meta">· an application of <bdi>{{DEVELOPER}}</bdi></span>{{/DEVELOPED}}{{#HOSTED}} <span class="meta">· <bdi>{{HOST}}</bdi></span>{{/HOSTED}}</p>
<ul>
{{#SCOPE}}<li>{{TITLE}} <span class="meta">– {{TEXT}}</span></li>
{{/SCOPE}}</ul>
<p class="meta">Connected <time datetime="{{SINCE_EXACT}}" title="{{SINCE_FULL}}">{{SINCE}}</time> · last used <time datetime="{{USED_EXACT}}" title="{{USED_FULL}}">{{USED}}</time></p>
<p><a class="button" href="{{REVOKE}}">Revoke access<span class="unseen"> of {{CLIENT}} to {{ACCOUNT}}</span></a></p></li>
{{/GRANT}}{{#FULL}}</ul>
{{/FULL}}
