{{%AUTOESCAPE context="HTML"}}
<h1>Revoke the access of <bdi>{{CLIENT}}</bdi>?</h1>
<p>It can no longer use <strong><bdi>{{ACCOUNT}}</bdi></strong> on your behalf: all its tokens end at once, and what you use it for stops working. What other people allowed it is not affected.</p>
<ul>
{{#SCOPE}}<li>{{TITLE}} <span class="meta">– {{TEXT}}</span></li>
{{/SCOPE}}</ul>
<p class="meta">Connected <time datetime="{{SINCE_EXACT}}" title="{{SINCE_FULL}}">{{SINCE}}</time> · last used <time datetime="{{USED_EXACT}}" title="{{USED_FULL}}">{{USED}}</time></p>
<p>To give it access again, start from the application.</p>
<form method="post" action="{{ACTION}}">
<input type="hidden" name="csrf" value="{{TOKEN}}">
<p class="answers"><button class="danger">Revoke access</button>
<a class="button" href="{{BACK}}">Keep it</a></p>
</form>
